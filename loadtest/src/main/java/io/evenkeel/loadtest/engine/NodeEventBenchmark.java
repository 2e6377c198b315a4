package io.evenkeel.loadtest.engine;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.loadtest.cluster.IncomingShape;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures a change of one node. Every workload has a zone group and a hostname group. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NodeEventBenchmark {
    /**
     * The change. The node alternates between two states: present or absent, in one zone or another, with one unused
     * label or another, with a taint or without.
     */
    @Param({"comesAndGoes", "zone", "otherLabel", "taint"})
    public String change = "";

    private static final String NAME = "a-node-of-its-own";

    private @Nullable SpreadEngine engine;
    private boolean second;
    private int lives;

    @Setup(Level.Trial)
    public void prepare(BenchCluster cluster) {
        engine = cluster.local().engine();
        cluster.generator().workloads().forEach(workload -> {
            cluster.local().plan(IncomingShape.HARD_ZONE_HARD_HOSTNAME.of(workload));
            cluster.local().plan(IncomingShape.FIVE_CONSTRAINTS.of(workload));
        });
        apply(Change.ADDED, node("zone-1", "a", List.of()));
    }

    @Benchmark
    public boolean change() {
        second = !second;
        return switch (change) {
            case "comesAndGoes" -> second ? apply(Change.DELETED, node("zone-1", "a", List.of())) : comes();
            case "zone" -> apply(Change.MODIFIED, node(second ? "zone-2" : "zone-1", "a", List.of()));
            case "otherLabel" -> apply(Change.MODIFIED, node("zone-1", second ? "b" : "a", List.of()));
            case "taint" ->
                apply(
                        Change.MODIFIED,
                        node(
                                "zone-1",
                                "a",
                                second ? List.of(new NodeTaint("dedicated", "batch", "NoSchedule")) : List.of()));
            default -> throw new IllegalArgumentException("change must be one of the four, was " + change);
        };
    }

    /** Adds the node with a new UID, because deleted UIDs cannot be reused. */
    private boolean comes() {
        lives++;
        return apply(Change.ADDED, node("zone-1", "a", List.of()));
    }

    private boolean apply(Change kind, NodeObject node) {
        SpreadEngine to = Objects.requireNonNull(engine);
        return to.write(writer -> writer.apply(kind, node)) > 0;
    }

    private NodeObject node(String zone, String label, List<NodeTaint> taints) {
        return new NodeObject(
                NAME,
                NAME + "-" + lives,
                0,
                Map.of("topology.kubernetes.io/zone", zone, "kubernetes.io/hostname", NAME, "a-label", label),
                taints,
                false);
    }
}
