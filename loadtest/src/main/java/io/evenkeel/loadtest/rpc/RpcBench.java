package io.evenkeel.loadtest.rpc;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.IncomingShape;
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
import java.time.Duration;
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
    static final List<IncomingShape> BOTH =
            List.of(IncomingShape.HARD_ZONE_HARD_HOSTNAME, IncomingShape.SOFT_ZONE_SOFT_HOSTNAME);

    private static final int BEST = 16;

    private static final QueryOptions PACKED = options(AnswerForm.ANSWER_FORM_PACKED);

    private final ClusterGenerator cluster;
    private final Channel channel;
    private final ClusterFeed feed;
    private final List<String> nodes;
    private final Duration warmUp;
    private final Duration length;

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

    /** Options for answers in this form about all nodes. */
    static QueryOptions options(AnswerForm form) {
        return QueryOptions.newBuilder()
                .setCandidates(CandidateNodes.all())
                .setForm(form)
                .setMaxBest(BEST)
                .build();
    }

    /** Evaluate of one pod, packed, one call after another. */
    RpcRow oneByOne(IncomingShape shape, boolean stream) throws InterruptedException, FailedCallException {
        List<Pod> pods = new IncomingPods(cluster, List.of(shape), 1).list(1);
        List<List<Pod>> batches = IncomingPods.batches(pods, 1);
        PairedCalls.Times times = stream
                ? pairs(LoadQuestions.evaluateStream(batches, PACKED), pods.subList(0, 1))
                : pairs(LoadQuestions.evaluate(batches, PACKED), pods.subList(0, 1));
        return times.row(name(shape, stream), "≤ 1.2×", times.ratio() <= MAX_RATIO_TO_ECHO);
    }

    /** The name of the figure of {@link #oneByOne}, for a table. */
    static String name(IncomingShape shape, boolean stream) {
        return (stream ? "stream, " : "unary, ") + (shape == IncomingShape.HARD_ZONE_HARD_HOSTNAME ? "hard" : "soft");
    }

    /** Evaluate of a hundred pods of as many shapes, half of them soft, packed, one call after another. */
    RpcRow batch() throws InterruptedException, FailedCallException {
        List<Pod> pods = new IncomingPods(cluster, BOTH, BATCH).list(BATCH);
        LoadQuestions<EncodedRequest, EvaluateResponse> asked =
                LoadQuestions.evaluate(IncomingPods.batches(pods, BATCH), PACKED);
        PairedCalls.Times times = pairs(asked, pods.subList(0, BATCH));
        return times.row(
                "unary, 100 pods", "≤ 1,200 µs", times.call().getValueAtPercentile(50) <= MAX_BATCH_TIME.toNanos());
    }

    /** One what-if that removes, for each node, the pods on it; one call after another. */
    RpcRow whatIf() throws InterruptedException, FailedCallException {
        WhatIfQuestions whatIfs = new WhatIfQuestions(cluster);
        Pod pod = new IncomingPods(cluster, BOTH.subList(0, 1), 1).list(1).get(0);
        PairedCalls.Times times = pairs(whatIfs.about(pod), List.of(pod));
        return times.row(
                whatIfs.words(), "≤ 50 ms", times.call().getValueAtPercentile(50) <= MAX_WHAT_IF_TIME.toNanos());
    }

    private <A extends MessageLite> PairedCalls.Times pairs(LoadQuestions<EncodedRequest, A> asked, List<Pod> replicas)
            throws InterruptedException, FailedCallException {
        LoadQuestions<EchoRequest, EchoResponse> echo = EchoQuestions.like(channel, asked);
        SyncedEvents events = new SyncedEvents(feed, replicas, nodes);
        try {
            return PairedCalls.time(TimedCall.of(channel, asked), TimedCall.of(channel, echo), events, warmUp, length);
        } finally {
            events.end();
        }
    }

    /** Evaluate with one pod per message, best 16, 64 in flight on one stream; no events during the run. */
    RpcRow throughput(AnswerForm form) throws InterruptedException, FailedCallException {
        List<Pod> pods = new IncomingPods(cluster, BOTH, BATCH).list(1);
        LoadQuestions<EncodedRequest, EvaluateStreamResponse> asked =
                LoadQuestions.evaluateStream(IncomingPods.batches(pods, 1), options(form));
        LoadQuestions<EchoRequest, EchoResponse> echo = EchoQuestions.like(channel, asked);
        stream(asked, warmUp);
        stream(echo, warmUp);
        Histogram calls = new Histogram(3);
        Histogram echoes = new Histogram(3);
        Duration turn = length.dividedBy(2 * TURNS);
        for (int i = 0; i < TURNS; i++) {
            calls.add(stream(asked, turn));
            echoes.add(stream(echo, turn));
        }
        double seconds = turn.multipliedBy(TURNS).toNanos() / 1e9;
        double ratio = calls.getTotalCount() / (double) echoes.getTotalCount();
        long perSecond = Math.round(calls.getTotalCount() / seconds);
        return new RpcRow(
                "64 in flight, "
                        + form.name().substring("ANSWER_FORM_".length()).toLowerCase(Locale.ROOT),
                calls.getTotalCount(),
                calls.getValueAtPercentile(50),
                calls.getValueAtPercentile(99),
                echoes.getValueAtPercentile(50),
                ratio,
                perSecond,
                Math.round(echoes.getTotalCount() / seconds),
                form == AnswerForm.ANSWER_FORM_PACKED ? "≥ 0.7×, 120,000/s" : "",
                ratio >= MIN_RATIO_TO_ECHO_RATE && perSecond >= MIN_PODS_PER_SECOND);
    }

    private <Q, A> Histogram stream(LoadQuestions<Q, A> questions, Duration time)
            throws InterruptedException, FailedCallException {
        return checked(Round.ofStream(channel, questions, UNDER_WAY, time));
    }

    /** Unary calls on schedule, with concurrent pod events of the same workloads, compared with no events. */
    RpcRow underChurn() throws InterruptedException, FailedCallException {
        List<Pod> pods = new IncomingPods(cluster, BOTH, 2).list(1);
        LoadQuestions<EncodedRequest, EvaluateResponse> asked =
                LoadQuestions.evaluate(IncomingPods.batches(pods, 1), PACKED);
        return withAndWithout("unary, 10,000 events/s", time -> churned(asked, pods, time), time -> unary(asked, time));
    }

    /**
     * Unary calls on schedule, while another thread asks about pods with new constraints, compared with the same while
     * it asks about known pods.
     */
    RpcRow besideFirstSights() throws InterruptedException, FailedCallException {
        List<Pod> pods = new IncomingPods(cluster, BOTH, 2).list(1);
        LoadQuestions<EncodedRequest, EvaluateResponse> asked =
                LoadQuestions.evaluate(IncomingPods.batches(pods, 1), PACKED);
        List<Pod> all = new IncomingPods(cluster, BOTH, Integer.MAX_VALUE).list(1);
        Duration alongside = warmUp.multipliedBy(WARM_UPS_BESIDE).plus(length.multipliedBy(2));
        SideCalls firstSights = SideCalls.firstSights(channel, all, alongside);
        SideCalls known = SideCalls.known(channel, all);
        return withAndWithout(
                "unary, 20 first sights/s",
                time -> concurrently(firstSights, asked, time),
                time -> concurrently(known, asked, time));
    }

    private Histogram concurrently(
            SideCalls others, LoadQuestions<EncodedRequest, EvaluateResponse> asked, Duration time)
            throws InterruptedException, FailedCallException {
        others.start();
        Histogram latencies;
        try {
            latencies = unary(asked, time);
        } finally {
            others.stop();
        }
        return latencies;
    }

    private interface Alongside {
        /** The times of calls, measured for {@code time} while something else happens. */
        Histogram time(Duration time) throws InterruptedException, FailedCallException;
    }

    private RpcRow withAndWithout(String what, Alongside something, Alongside nothing)
            throws InterruptedException, FailedCallException {
        // A longer warm-up, because the JIT compilers of both sides use the cores for a while, which would affect the
        // p99.
        something.time(warmUp.multipliedBy(WARM_UPS_BESIDE));
        nothing.time(warmUp);
        Histogram with = new Histogram(3);
        Histogram without = new Histogram(3);
        Duration turn = length.multipliedBy(2).dividedBy(TURNS);
        for (int i = 0; i < TURNS; i++) {
            with.add(something.time(turn));
            without.add(nothing.time(turn));
        }
        double ratio = with.getValueAtPercentile(99) / (double) without.getValueAtPercentile(99);
        return new RpcRow(
                what,
                with.getTotalCount(),
                with.getValueAtPercentile(50),
                with.getValueAtPercentile(99),
                without.getValueAtPercentile(99),
                ratio,
                0,
                0,
                "p99 ≤ 2×",
                ratio <= MAX_RATIO_TO_PEER);
    }

    private <Q, A> Histogram churned(LoadQuestions<Q, A> questions, List<Pod> pods, Duration time)
            throws InterruptedException, FailedCallException {
        Churn churn = Churn.start(feed, new ChurnPods(pods, nodes), CHURN);
        Histogram latencies;
        try (churn) {
            latencies = unary(questions, time);
        }
        Fault fault = churn.fault();
        if (fault != null) {
            throw new FailedCallException(fault.kind() + ": " + fault.message());
        }
        return latencies;
    }

    private <Q, A> Histogram unary(LoadQuestions<Q, A> questions, Duration time)
            throws InterruptedException, FailedCallException {
        return checked(Round.ofUnary(channel, questions, CALLS_ON_SCHEDULE, time));
    }

    private static Histogram checked(Round round) throws FailedCallException {
        if (!round.errors().isEmpty()) {
            ErrorCount first = round.errors().get(0);
            throw new FailedCallException(first.calls() + " calls failed: " + first.kind() + ": " + first.example());
        }
        return round.latencies();
    }
}
