package io.evenkeel.cli;

import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.PodReference;
import java.util.Set;

/** A cluster that is asked about one pod. */
interface AskedCluster extends AutoCloseable {
    /**
     * Names a pod of the cluster for a request.
     *
     * @throws CommandFailure where it is known that there is no such pod
     */
    PodReference reference(String namespace, String name) throws CommandFailure;

    /** Values of labels that pods of the cluster have, and that must not stand for values which do not exist yet. */
    Set<String> standIns();

    /** Warns of what an answer for this pod needs and the cluster lacks. */
    void warnOfGaps(PodManifest manifest);

    ExplainResponse explain(ExplainRequest request) throws CommandFailure;

    @Override
    void close();
}
