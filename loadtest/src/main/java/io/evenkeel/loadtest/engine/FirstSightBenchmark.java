package io.evenkeel.loadtest.engine;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import java.util.ArrayList;
import java.util.List;
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

/** Measures compiling a plan for new selectors, whose groups must be counted from the store. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FirstSightBenchmark {
    /** The name of the pod's {@link io.evenkeel.loadtest.cluster.Spread}. It has explicit constraints. */
    @Param({"HARD_ZONE_HARD_HOSTNAME", "SOFT_ZONE_SOFT_HOSTNAME"})
    public String pod = "";

    private @Nullable SpreadEngine engine;
    private @Nullable IncomingPod known;
    private @Nullable IncomingPod unknown;
    private int seen;

    @Setup(Level.Trial)
    public void prepare(BenchCluster cluster) {
        engine = cluster.local().engine();
        known = cluster.local().plan(cluster.pod(pod)).pod();
    }

    /** Creates a new selector that matches the same pods. */
    @Setup(Level.Invocation)
    public void rephrase() {
        IncomingPod from = Objects.requireNonNull(known);
        PodSelector more = new PodSelector(List.of(new LabelRequirement(
                "unheard-of", LabelRequirement.Operator.NOT_IN, List.of(Integer.toString(seen++)))));
        List<SpreadConstraint> constraints = new ArrayList<>();
        for (SpreadConstraint each : from.constraints()) {
            constraints.add(new SpreadConstraint(
                    each.maxSkew(),
                    each.topologyKey(),
                    each.hard(),
                    Objects.requireNonNull(each.selector()).and(more),
                    each.matchLabelKeys(),
                    each.minDomains(),
                    each.honorAffinity(),
                    each.honorTaints()));
        }
        unknown = new IncomingPod(
                from.namespace(),
                from.labels(),
                from.nodeSelector(),
                from.affinityTerms(),
                from.tolerations(),
                constraints,
                from.controller());
    }

    @Benchmark
    public PodPlan plan() {
        return Objects.requireNonNull(engine).plan(Objects.requireNonNull(unknown), SpreadDefaults.SYSTEM);
    }
}
