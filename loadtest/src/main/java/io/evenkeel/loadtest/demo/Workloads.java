package io.evenkeel.loadtest.demo;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Chooses which workloads of the generated cluster are shown. */
final class Workloads {
    private Workloads() {}

    /** The workload with {@code spread} that has the most pods, or null if there is none. */
    static @Nullable Workload largest(ClusterGenerator generator, Spread spread) {
        return generator.workloads().stream()
                .filter(workload -> workload.spread() == spread)
                .max(Comparator.comparingInt(Workload::pods))
                .orElse(null);
    }
}
