package io.evenkeel.loadtest.load;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;

/** Generates pods to be placed, like growing workloads: each has its own name and UID. */
public final class IncomingPods {
    /** The minimum number of pods, so that a server gains nothing by caching whole requests. */
    private static final int AT_LEAST = 4_096;

    private static final int CALLS_AT_LEAST = 16;

    private final List<Workload> workloads;
    private final List<Spread> shapes;

    /**
     * @param shapes the shapes of the pods, which workloads take in turn
     * @param maxWorkloads the maximum number of workloads whose replicas the pods are
     */
    public IncomingPods(ClusterGenerator cluster, List<Spread> shapes, int maxWorkloads) {
        List<Workload> all = cluster.workloads();
        this.workloads = all.subList(0, Math.min(all.size(), maxWorkloads));
        this.shapes = shapes;
    }

    /**
     * Enough pods for calls of {@code batch} pods. Each workload has one of the shapes, or several if there are fewer
     * workloads than shapes.
     *
     * @param batch at least 1
     */
    public List<Pod> list(int batch) {
        int kinds = Math.max(workloads.size(), shapes.size());
        int calls = Math.max(CALLS_AT_LEAST, (AT_LEAST + batch - 1) / batch);
        List<Pod> templates = new ArrayList<>(kinds);
        for (int kind = 0; kind < kinds; kind++) {
            templates.add(shapes.get(kind % shapes.size()).of(workloads.get(kind % workloads.size())));
        }
        List<Pod> pods = new ArrayList<>(calls * batch);
        for (int i = 0; i < calls * batch; i++) {
            pods.add(Replicas.of(templates.get(i % kinds), i));
        }
        return pods;
    }

    /**
     * Divides {@code pods} into calls of {@code batch} pods. If there are fewer pods than one call needs, they are
     * repeated.
     */
    public static List<List<Pod>> batches(List<Pod> pods, int batch) {
        List<List<Pod>> batches = new ArrayList<>();
        for (int from = 0; from + batch <= pods.size(); from += batch) {
            batches.add(pods.subList(from, from + batch));
        }
        if (batches.isEmpty()) {
            List<Pod> repeated = new ArrayList<>(batch);
            for (int i = 0; i < batch; i++) {
                repeated.add(pods.get(i % pods.size()));
            }
            batches.add(repeated);
        }
        return batches;
    }
}
