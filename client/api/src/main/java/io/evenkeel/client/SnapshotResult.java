package io.evenkeel.client;

import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.Revision;
import java.util.List;

/**
 * What a snapshot has led to.
 *
 * @param revision reached at its end
 * @param sent the objects sent
 * @param applied those that changed something
 * @param removed what it did not name and was removed
 * @param refused how many objects were refused
 * @param refusals the first hundred of these, by position in the snapshot, from 0
 */
public record SnapshotResult(
        Revision revision, long sent, long applied, long removed, long refused, List<Refusal> refusals) {
    public SnapshotResult {
        refusals = List.copyOf(refusals);
    }
}
