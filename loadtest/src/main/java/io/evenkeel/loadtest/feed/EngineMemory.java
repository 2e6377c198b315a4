package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.cluster.ClusterGenerator;

/** Measures the heap that an engine needs for a cluster, with a zone group and a hostname group for each workload. */
public final class EngineMemory {
    private EngineMemory() {}

    /** The heap for a generated cluster, in bytes. */
    public static long of(ClusterGenerator cluster) {
        return of(FedPods.of(cluster));
    }

    static long of(FedPods pods) {
        long before = EngineFeed.usedBytes();
        EngineFeed engine = new EngineFeed(pods);
        long used = EngineFeed.usedBytes() - before;
        if (engine.pods() != pods.count()) {
            throw new IllegalStateException("the engine holds " + engine.pods() + " pods");
        }
        return used;
    }
}
