package io.evenkeel.loadtest.engine;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.local.MatchingEvents;
import io.evenkeel.v1.Pod;
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

/** Measures one question with a compiled plan, answered into a reused answer object. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AnswerBenchmark {
    /** The name of the pod's {@link Spread}. */
    @Param({
        "HARD_ZONE",
        "HARD_ZONE_HARD_HOSTNAME",
        "SOFT_ZONE_SOFT_HOSTNAME",
        "HARD_ZONE_SOFT_HOSTNAME",
        "FIVE_CONSTRAINTS",
        "DEFAULTS_WITH_OWNER",
        "DEFAULTS_WITHOUT_OWNER"
    })
    public String pod = "";

    /** The question. {@code best1} and {@code best16} ask only for the best nodes. */
    @Param({"evaluate", "filter", "score", "best1", "best16"})
    public String ask = "";

    /** The candidates: {@code all}, or the number of named nodes. */
    @Param({"all", "500", "4000"})
    public String candidates = "";

    /**
     * Whether {@code some} nodes fit or {@code none}. With {@code none}, there are fewer domains than the pod's
     * minDomains, and each holds a pod.
     */
    @Param("some")
    public String fits = "";

    /**
     * What happens between two timed calls: a matching pod {@code event}, {@code nothing}, or {@code other}: two
     * questions alternate with the same answer object, so that no answer can be cached and only answers allocate.
     */
    @Param({"event", "nothing", "other"})
    public String between = "";

    /** The rules before the constraints: {@code NONE}, {@code ENTERABLE} or {@code FITTING}. */
    @Param("NONE")
    public String rules = "NONE";

    /** How much cpu the pod requests; empty for none. */
    @Param("")
    public String cpu = "";

    private final Answer answer = new Answer();
    private @Nullable SpreadEngine engine;
    private @Nullable PodPlan plan;
    private @Nullable PodPlan otherPlan;
    private @Nullable Question question;
    private @Nullable MatchingEvents events;

    @Setup(Level.Trial)
    public void prepare(BenchCluster cluster) {
        Pod asking = cpu.isEmpty() ? cluster.pod(pod) : Resources.asking(cluster.pod(pod), cpu);
        Pod incoming = fits.equals("none") ? demandingMoreDomains(asking) : asking;
        plan = cluster.local().plan(incoming);
        otherPlan = between.equals("other") ? cluster.local().plan(cluster.pod(other())) : plan;
        engine = cluster.local().engine();
        List<String> nodes = cluster.local().nodes();
        question = question(
                        candidates.equals("all")
                                ? NodeSubset.ALL
                                : NodeSubset.named(some(nodes, Integer.parseInt(candidates))))
                .under(EntryRules.valueOf(rules));
        events = between.equals("event") ? new MatchingEvents(engine, incoming, nodes) : null;
    }

    private static Pod demandingMoreDomains(Pod pod) {
        Pod.Builder demanding = pod.toBuilder();
        demanding.getSpecBuilder().getTopologySpreadConstraintsBuilderList().stream()
                .filter(constraint -> constraint.getWhenUnsatisfiable().equals("DoNotSchedule"))
                .forEach(constraint -> constraint.setMinDomains(Integer.MAX_VALUE));
        return demanding.build();
    }

    private String other() {
        return pod.equals(Spread.HARD_ZONE.name()) ? Spread.SOFT_ZONE_SOFT_HOSTNAME.name() : Spread.HARD_ZONE.name();
    }

    private Question question(NodeSubset among) {
        return switch (ask) {
            case "filter" -> Question.filter(among);
            case "score" -> Question.score(among, 0);
            case "evaluate" -> Question.evaluate(among, 0);
            case "best1" -> Question.best(among, 1);
            case "best16" -> Question.best(among, 16);
            default -> throw new IllegalArgumentException("ask must be one of the five, was " + ask);
        };
    }

    /** Nodes spread evenly over the whole table, as other plugins would leave them. */
    private static List<String> some(List<String> nodes, int wanted) {
        List<String> some = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            if ((long) i * wanted % nodes.size() < wanted) {
                some.add(nodes.get(i));
            }
        }
        return some;
    }

    @Setup(Level.Invocation)
    public void between() {
        if (events != null) {
            events.next();
        }
        if (otherPlan != plan) {
            PodPlan next = otherPlan;
            otherPlan = plan;
            plan = next;
        }
    }

    @Benchmark
    public Answer answer() {
        Objects.requireNonNull(engine).evaluate(Objects.requireNonNull(plan), Objects.requireNonNull(question), answer);
        return answer;
    }
}
