package io.evenkeel.loadtest.demo;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Which workloads of the generated cluster are shown. */
final class Workloads {
    private Workloads() {}

    /** The one with the most pods that asks for {@code spread}; null where none does. */
    static @Nullable Workload largest(ClusterGenerator generator, Spread spread) {
        return generator.workloads().stream()
                .filter(workload -> workload.spread() == spread)
                .max(Comparator.comparingInt(Workload::pods))
                .orElse(null);
    }
}
