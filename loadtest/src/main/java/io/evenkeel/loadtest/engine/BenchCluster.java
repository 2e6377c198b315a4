package io.evenkeel.loadtest.engine;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.v1.Pod;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The state of benchmarks: a generated cluster in an engine. Public because JMH's generated code uses it from other
 * packages.
 */
@State(Scope.Benchmark)
public class BenchCluster {
    private static final long SEED = 1;

    /** Nodes and pods, such as {@code 5000/150000}. */
    @Param("5000/150000")
    public String cluster = "";

    /** {@code many} is workloads of 500 pods each; {@code big} is workloads of 30 pods per node. */
    @Param({"many", "big"})
    public String shape = "";

    /** {@code shared}: the pods of a workload have equal labels. {@code own}: each pod also has a unique label. */
    @Param("shared")
    public String labels = "";

    /** Whether nodes have resources and pods request some. */
    @Param("no")
    public String resources = "no";

    private @Nullable ClusterGenerator generator;
    private @Nullable LocalEngine local;

    /** The cluster of a figure that is measured in this JVM. */
    static BenchCluster of(Figure figure) {
        BenchCluster loaded = new BenchCluster();
        loaded.cluster = figure.parameter("cluster");
        loaded.shape = figure.parameter("shape");
        loaded.load();
        return loaded;
    }

    @Setup(Level.Trial)
    public void load() {
        String[] size = cluster.split("/", -1);
        ClusterShape of = ClusterShape.of(SEED, Integer.parseInt(size[0]), Integer.parseInt(size[1]))
                .withSizes(WorkloadSizes.valueOf(shape.toUpperCase(Locale.ROOT)));
        ClusterGenerator objects = new ClusterGenerator(of);
        if (resources.equals("yes")) {
            objects = objects.with(pod -> Resources.asking(pod, "100m")).withNodes(Resources::of);
        }
        generator = objects;
        local = LocalEngine.holding(labels.equals("own") ? objects.with(Replicas::withOwnLabel) : objects);
    }

    @TearDown(Level.Trial)
    public void close() {
        local().close();
    }

    ClusterGenerator generator() {
        return Objects.requireNonNull(generator);
    }

    public LocalEngine local() {
        return Objects.requireNonNull(local);
    }

    public Pod pod(String incomingShape) {
        return Spread.valueOf(incomingShape).in(generator());
    }
}
