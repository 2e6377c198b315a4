package io.evenkeel.loadtest.engine;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.EncodedQuery;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.local.MatchingEvents;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
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
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures Evaluate for the best 16 nodes with the embedded client, from a pod's bytes to the parsed response. A
 * matching pod event, which is not timed, occurs between any two calls.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EmbeddedBenchmark {
    private static final int REPLICAS = 1024;
    private static final int BEST = 16;

    /** The name of the pod's {@link Spread}. */
    @Param({"HARD_ZONE_HARD_HOSTNAME", "SOFT_ZONE_SOFT_HOSTNAME"})
    public String pod = "";

    /** The name of the {@link AnswerForm}, without its prefix. */
    @Param({"BEST", "PACKED", "READABLE"})
    public String form = "";

    private final byte[][] replicas = new byte[REPLICAS][];
    private QueryOptions options = QueryOptions.getDefaultInstance();
    private @Nullable PlacementClient client;
    private @Nullable MatchingEvents events;
    private int next;

    @Setup(Level.Trial)
    public void prepare(BenchCluster cluster) {
        Pod incoming = cluster.pod(pod);
        for (int i = 0; i < REPLICAS; i++) {
            replicas[i] = Replicas.of(incoming, i).toByteArray();
        }
        options = QueryOptions.newBuilder()
                .setCandidates(CandidateNodes.all())
                .setMaxBest(BEST)
                .setForm(AnswerForm.valueOf("ANSWER_FORM_" + form))
                .build();
        client = cluster.local().client();
        events = new MatchingEvents(
                cluster.local().engine(), incoming, cluster.local().nodes());
    }

    @TearDown(Level.Trial)
    public void close() {
        Objects.requireNonNull(client).close();
    }

    @Setup(Level.Invocation)
    public void between() {
        Objects.requireNonNull(events).next();
        next = (next + 1) % REPLICAS;
    }

    @Benchmark
    public EvaluateResponse answer() {
        return Objects.requireNonNull(client).evaluate(EncodedQuery.of(options, replicas[next]));
    }
}
