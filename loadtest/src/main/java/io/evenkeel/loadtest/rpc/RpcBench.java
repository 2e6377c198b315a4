package io.evenkeel.loadtest.rpc;

import com.google.protobuf.MessageLite;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.load.Churn;
import io.evenkeel.loadtest.load.ChurnPods;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.ErrorCount;
import io.evenkeel.loadtest.load.Fault;
import io.evenkeel.loadtest.load.IncomingPods;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.evenkeel.loadtest.load.Round;
import io.evenkeel.loadtest.v1.EchoRequest;
import io.evenkeel.loadtest.v1.EchoResponse;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.grpc.Channel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Runs the measurements of {@code bench rpc} on a server with a generated cluster. Not thread-safe. */
final class RpcBench {
    private static final double MAX_RATIO_TO_ECHO = 1.2;

    private static final int UNDER_WAY = 64;
    private static final double MIN_RATIO_TO_ECHO_RATE = 0.7;
    private static final long MIN_PODS_PER_SECOND = 120_000;

    private static final int BATCH = 100;
    private static final Duration MAX_BATCH_TIME = Duration.ofNanos(1_200_000);

    private static final Duration MAX_WHAT_IF_TIME = Duration.ofMillis(50);

    private static final double CHURN = 10_000;
    private static final double CALLS_ON_SCHEDULE = 1_000;
    private static final double MAX_RATIO_TO_PEER = 2;
    private static final int WARM_UPS_BESIDE = 5;

    /** The number of turns of each of two compared measurements. */
    private static final int TURNS = 4;

    /** The shapes of the pods: half of them hard, half soft. */
    private static final List<Spread> BOTH = List.of(Spread.HARD_ZONE_HARD_HOSTNAME, Spread.SOFT_ZONE_SOFT_HOSTNAME);

    private static final int BEST = 16;
    private static final QueryOptions PACKED = options(AnswerForm.ANSWER_FORM_PACKED);

    private final ClusterGenerator cluster;
    private final Channel channel;
    private final ClusterFeed feed;
    private final List<String> nodes;
    private final Duration warmUp;
    private final Duration length;

    /** A figure, measured over the connection of a bench. */
    interface Figure {
        RpcRow of(RpcBench bench) throws IOException, InterruptedException;
    }

    /** Calls whose times are measured for some time. */
    interface Timed {
        Histogram during(Duration time) throws IOException, InterruptedException;
    }

    /**
     * @param channel a channel to the server, which also has the echo service
     * @param feed a feed to the same server
     * @param nodes the server's node names
     * @param warmUp how long to warm up each figure
     * @param length how long to measure each figure
     */
    RpcBench(
            ClusterGenerator cluster,
            Channel channel,
            ClusterFeed feed,
            List<String> nodes,
            Duration warmUp,
            Duration length) {
        this.cluster = cluster;
        this.channel = channel;
        this.feed = feed;
        this.nodes = nodes;
        this.warmUp = warmUp;
        this.length = length;
    }

    /** The figures that can differ between TCP and a Unix domain socket. */
    static List<Figure> ofTransport() {
        List<Figure> figures = new ArrayList<>();
        for (Spread shape : BOTH) {
            figures.add(bench -> bench.oneByOne(shape, LoadQuestions::evaluate));
        }
        for (Spread shape : BOTH) {
            figures.add(bench -> bench.oneByOne(shape, LoadQuestions::evaluateStream));
        }
        figures.add(bench -> bench.throughput(AnswerForm.ANSWER_FORM_BEST));
        figures.add(bench -> bench.throughput(AnswerForm.ANSWER_FORM_PACKED));
        return figures;
    }

    static List<Figure> all() {
        List<Figure> figures = new ArrayList<>(ofTransport());
        figures.add(bench -> bench.throughput(AnswerForm.ANSWER_FORM_READABLE));
        figures.add(RpcBench::batch);
        figures.add(RpcBench::whatIf);
        figures.add(RpcBench::underChurn);
        figures.add(RpcBench::besideFirstSights);
        return figures;
    }

    /** Options for answers in this form about all nodes. */
    static QueryOptions options(AnswerForm form) {
        return QueryOptions.newBuilder()
                .setCandidates(CandidateNodes.all())
                .setForm(form)
                .setMaxBest(BEST)
                .build();
    }

    private interface Questions<A> {
        LoadQuestions<EncodedRequest, A> of(List<List<Pod>> batches, QueryOptions options);
    }

    /** Evaluate of one pod, packed, one call after another. */
    private <A extends MessageLite> RpcRow oneByOne(Spread shape, Questions<A> questions)
            throws IOException, InterruptedException {
        List<Pod> pods = new IncomingPods(cluster, List.of(shape), 1).list(1);
        LoadQuestions<EncodedRequest, A> asked = questions.of(IncomingPods.batches(pods, 1), PACKED);
        Times times = pair(asked, pods.subList(0, 1));
        return times.row(
                (asked.isStream() ? "stream, " : "unary, ") + (shape == BOTH.get(0) ? "hard" : "soft"),
                "≤ 1.2×",
                times.ratio() <= MAX_RATIO_TO_ECHO);
    }

    /** Evaluate of a hundred pods of as many shapes, half of them soft, packed, one call after another. */
    private RpcRow batch() throws IOException, InterruptedException {
        List<Pod> pods = new IncomingPods(cluster, BOTH, BATCH).list(BATCH);
        Times times = pair(LoadQuestions.evaluate(IncomingPods.batches(pods, BATCH), PACKED), pods.subList(0, BATCH));
        return times.row("unary, 100 pods", "≤ 1,200 µs", times.p50Nanos() <= MAX_BATCH_TIME.toNanos());
    }

    /** One what-if that removes, for each node, the pods on it; one call after another. */
    private RpcRow whatIf() throws IOException, InterruptedException {
        WhatIfQuestions whatIfs = new WhatIfQuestions(cluster);
        Pod pod = new IncomingPods(cluster, BOTH.subList(0, 1), 1).list(1).get(0);
        Times times = pair(whatIfs.about(pod), List.of(pod));
        return times.row(whatIfs.words(), "≤ 50 ms", times.p50Nanos() <= MAX_WHAT_IF_TIME.toNanos());
    }

    /** The times of calls and of their echoes, in nanoseconds. */
    private record Times(Histogram call, Histogram echo) {
        long p50Nanos() {
            return call.getValueAtPercentile(50);
        }

        double ratio() {
            return p50Nanos() / (double) echo.getValueAtPercentile(50);
        }

        RpcRow row(String what, String target, boolean holds) {
            return RpcRow.of(what, call, echo.getValueAtPercentile(50), ratio(), 0, target, holds);
        }
    }

    /** Warms up calls and echoes, and times them alternately, with an event before each. */
    private <A extends MessageLite> Times pair(LoadQuestions<EncodedRequest, A> asked, List<Pod> replicas)
            throws IOException, InterruptedException {
        LoadQuestions<EchoRequest, EchoResponse> echoes = EchoQuestions.like(channel, asked);
        try (SyncedEvents events = new SyncedEvents(feed, replicas, nodes);
                TimedCall<?, ?> call = TimedCall.of(channel, asked);
                TimedCall<?, ?> echo = TimedCall.of(channel, echoes)) {
            alternately(call, echo, events, warmUp);
            return alternately(call, echo, events, length);
        }
    }

    private static Times alternately(TimedCall<?, ?> call, TimedCall<?, ?> echo, SyncedEvents events, Duration time)
            throws IOException, InterruptedException {
        Times times = new Times(new Histogram(3), new Histogram(3));
        long end = System.nanoTime() + time.toNanos();
        do {
            events.next();
            times.call.recordValue(call.time());
            events.next();
            times.echo.recordValue(echo.time());
        } while (System.nanoTime() - end < 0);
        return times;
    }

    /** Evaluate with one pod per message, best 16, 64 in flight on one stream; no events during the run. */
    private RpcRow throughput(AnswerForm form) throws IOException, InterruptedException {
        List<Pod> pods = new IncomingPods(cluster, BOTH, BATCH).list(1);
        LoadQuestions<EncodedRequest, EvaluateStreamResponse> asked =
                LoadQuestions.evaluateStream(IncomingPods.batches(pods, 1), options(form));
        LoadQuestions<EchoRequest, EchoResponse> echo = EchoQuestions.like(channel, asked);
        stream(asked, warmUp);
        stream(echo, warmUp);
        Duration turn = length.dividedBy(2 * TURNS);
        Times times = inTurns(time -> stream(asked, time), time -> stream(echo, time), turn);
        double ratio = times.call.getTotalCount() / (double) times.echo.getTotalCount();
        long perSecond = Math.round(
                times.call.getTotalCount() * 1e9 / turn.multipliedBy(TURNS).toNanos());
        return RpcRow.of(
                "64 in flight, "
                        + form.name().substring("ANSWER_FORM_".length()).toLowerCase(Locale.ROOT),
                times.call,
                times.echo.getValueAtPercentile(50),
                ratio,
                perSecond,
                form == AnswerForm.ANSWER_FORM_PACKED ? "≥ 0.7×, 120,000/s" : "",
                ratio >= MIN_RATIO_TO_ECHO_RATE && perSecond >= MIN_PODS_PER_SECOND);
    }

    /** Unary calls on schedule, with concurrent pod events of the same workloads, compared with no events. */
    private RpcRow underChurn() throws IOException, InterruptedException {
        List<Pod> pods = new IncomingPods(cluster, BOTH, 2).list(1);
        LoadQuestions<EncodedRequest, EvaluateResponse> asked =
                LoadQuestions.evaluate(IncomingPods.batches(pods, 1), PACKED);
        return withAndWithout("unary, 10,000 events/s", time -> churned(asked, pods, time), time -> unary(asked, time));
    }

    /**
     * Unary calls on schedule, while another thread asks about pods with new constraints, compared with the same while
     * it asks about known pods.
     */
    private RpcRow besideFirstSights() throws IOException, InterruptedException {
        List<Pod> pods = new IncomingPods(cluster, BOTH, 2).list(1);
        LoadQuestions<EncodedRequest, EvaluateResponse> asked =
                LoadQuestions.evaluate(IncomingPods.batches(pods, 1), PACKED);
        List<Pod> all = new IncomingPods(cluster, BOTH, Integer.MAX_VALUE).list(1);
        Duration alongside = warmUp.multipliedBy(WARM_UPS_BESIDE).plus(length.multipliedBy(2));
        SideCalls firstSights = new SideCalls(channel, SideCalls.unknown(all, alongside));
        SideCalls known = new SideCalls(channel, all);
        Timed calls = time -> unary(asked, time);
        return withAndWithout(
                "unary, 20 first sights/s", time -> firstSights.during(calls, time), time -> known.during(calls, time));
    }

    private RpcRow withAndWithout(String what, Timed something, Timed nothing)
            throws IOException, InterruptedException {
        // A longer warm-up, because the JIT compilers of both sides use the cores for a while, which would affect the
        // p99.
        something.during(warmUp.multipliedBy(WARM_UPS_BESIDE));
        nothing.during(warmUp);
        Times times = inTurns(something, nothing, length.multipliedBy(2).dividedBy(TURNS));
        long p99Without = times.echo.getValueAtPercentile(99);
        double ratio = times.call.getValueAtPercentile(99) / (double) p99Without;
        return RpcRow.of(what, times.call, p99Without, ratio, 0, "p99 ≤ 2×", ratio <= MAX_RATIO_TO_PEER);
    }

    /** Measures two things in turn, so that other load on the machine affects both. */
    private static Times inTurns(Timed one, Timed other, Duration turn) throws IOException, InterruptedException {
        Times times = new Times(new Histogram(3), new Histogram(3));
        for (int i = 0; i < TURNS; i++) {
            times.call.add(one.during(turn));
            times.echo.add(other.during(turn));
        }
        return times;
    }

    private <Q, A> Histogram churned(LoadQuestions<Q, A> questions, List<Pod> pods, Duration time)
            throws IOException, InterruptedException {
        Churn churn = Churn.start(feed, new ChurnPods(pods, nodes), CHURN);
        Histogram latencies;
        try (churn) {
            latencies = unary(questions, time);
        }
        Fault fault = churn.fault();
        if (fault != null) {
            throw new CommandFailure(fault.kind() + ": " + fault.message());
        }
        return latencies;
    }

    private <Q, A> Histogram stream(LoadQuestions<Q, A> questions, Duration time)
            throws IOException, InterruptedException {
        return checked(Round.ofStream(channel, questions, UNDER_WAY, time));
    }

    private <Q, A> Histogram unary(LoadQuestions<Q, A> questions, Duration time)
            throws IOException, InterruptedException {
        return checked(Round.ofUnary(channel, questions, CALLS_ON_SCHEDULE, time));
    }

    private static Histogram checked(Round round) throws IOException {
        if (!round.errors().isEmpty()) {
            ErrorCount first = round.errors().get(0);
            throw new CommandFailure(first.calls() + " calls failed: " + first.kind() + ": " + first.example());
        }
        return round.latencies();
    }
}
