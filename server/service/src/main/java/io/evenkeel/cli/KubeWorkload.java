package io.evenkeel.cli;

import io.evenkeel.kube.WorkloadReader;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.manifest.PodManifest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Finds a workload behind an API server by its kind and name. */
final class KubeWorkload {
    private KubeWorkload() {}

    /**
     * The next pod of a workload, in its current revision if that is known.
     *
     * @param kind a kind that {@link WorkloadReader#knows} accepts
     * @throws IOException if the API server cannot be read, or sends something else; the message says why
     */
    static PodManifest next(ClusterAccess access, String kind, String name, String namespace)
            throws IOException, InterruptedException {
        try (WorkloadReader reader = new WorkloadReader(access)) {
            List<PodManifest> found = new ArrayList<>();
            read(reader.workload(kind, namespace, name), access, found);
            if (found.isEmpty()) {
                throw new CommandFailure(access.server() + " sent no " + kind);
            }
            PodManifest workload = found.get(0);
            if (workload.kind().equals("Deployment")) {
                read(reader.replicaSets(namespace), access, found);
            }
            return workload.inCurrentRevision(found);
        }
    }

    private static void read(byte[] json, ClusterAccess access, List<PodManifest> found) throws IOException {
        PodManifest.forEachOfServer(new ByteArrayInputStream(json), access.server(), found::add);
    }
}
