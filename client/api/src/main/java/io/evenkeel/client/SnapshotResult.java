package io.evenkeel.client;

import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.Revision;
import java.util.List;

/**
 * The result of a snapshot.
 *
 * @param revision the revision after its end
 * @param sent how many objects were sent
 * @param applied how many of them changed something
 * @param removed how many objects were removed because the snapshot did not contain them
 * @param refused how many objects were rejected
 * @param refusals the first hundred of these; positions count from 0 in the whole snapshot
 */
public record SnapshotResult(
        Revision revision, long sent, long applied, long removed, long refused, List<Refusal> refusals) {
    public SnapshotResult {
        refusals = List.copyOf(refusals);
    }
}
