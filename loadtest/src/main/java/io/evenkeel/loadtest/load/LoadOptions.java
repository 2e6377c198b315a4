package io.evenkeel.loadtest.load;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.grpc.Channel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The options for what is asked, how often, and for how long. */
final class LoadOptions {
    private static final double MAX_SECONDS = 86_400;
    private static final double MAX_RATE = 10_000_000;

    /** The calls, named as on the command line. */
    enum Call {
        filter,
        score,
        evaluate
    }

    /** An open or a closed loop. */
    static final class Load {
        @Option(
                names = "--rate",
                paramLabel = "N",
                description =
                        "Open loop: calls per second, made on schedule. The latency of a call counts from when it was due.")
        private @Nullable Double rate;

        @Option(
                names = "--concurrency",
                paramLabel = "N",
                description = "Closed loop: calls in flight at the same time (1 if --rate is not given).")
        private int concurrency = 1;
    }

    @Option(
            names = "--call",
            paramLabel = "filter|score|evaluate",
            defaultValue = "evaluate",
            description = "The call to make (default: ${DEFAULT-VALUE}).")
    private Call call = Call.evaluate;

    @Option(
            names = "--ask",
            split = ",",
            paramLabel = "SHAPE",
            defaultValue = "hard-zone-hard-hostname,soft-zone-soft-hostname",
            description = "The constraints of the pods, in turn: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})."
                    + " The pods are replicas of the generated cluster's workloads.")
    private List<Spread> shapes = List.of();

    @Option(
            names = "--workloads",
            paramLabel = "N",
            defaultValue = "100",
            description = "The maximum number of workloads whose replicas the pods are (default: ${DEFAULT-VALUE}).")
    private int workloads;

    @Option(
            names = "--manifest",
            paramLabel = "FILE",
            description =
                    "Ask about this pod instead: the manifest of a Pod, a Deployment, or another kind that creates pods.")
    private @Nullable Path manifest;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1",
            description = "Pods per call (default: ${DEFAULT-VALUE}). The server evaluates equal pods once;"
                    + " with --manifest, all pods are equal.")
    private int batch;

    @Option(
            names = "--candidates",
            paramLabel = "all|N",
            defaultValue = "all",
            description = "The candidate nodes: all, or how many to name (default: ${DEFAULT-VALUE}).")
    private String candidates = "all";

    @Option(
            names = "--best",
            paramLabel = "K",
            defaultValue = "16",
            description = "The maximum number of best nodes to return (default: ${DEFAULT-VALUE}).")
    private int best;

    @Option(names = "--packed", description = "Ask for packed answers: bit sets and bytes by node index.")
    private boolean packed;

    @ArgGroup
    private Load load = new Load();

    @Option(names = "--stream", description = "Use one EvaluateStream instead of unary calls.")
    private boolean stream;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "How long to make calls before the measurement; failures count (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description = "How long to measure (default: ${DEFAULT-VALUE}).")
    private double duration;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description =
                    "How long a call may take (default: ${DEFAULT-VALUE}). On a stream, a later answer counts as a failure.")
    private double timeout;

    @Option(
            names = "--churn",
            paramLabel = "N",
            defaultValue = "0",
            description = "Pod events per second to send through Sync during the run, for pods like those asked about"
                    + " (default: ${DEFAULT-VALUE}). The pods are removed afterwards.")
    private double churn;

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if an option is wrong; names the option
     */
    void check() {
        requireWithin("--workloads", workloads, 1, Integer.MAX_VALUE);
        requireWithin("--batch", batch, 1, Integer.MAX_VALUE);
        requireWithin("--best", best, 1, Integer.MAX_VALUE);
        if (load.rate != null) {
            requireWithin("--rate", load.rate, 0.001, MAX_RATE);
        }
        requireWithin("--concurrency", load.concurrency, 1, OpenLoop.MAX_IN_PROGRESS);
        requireWithin("--warmup", warmUp, 0, MAX_SECONDS);
        requireWithin("--duration", duration, 0.1, MAX_SECONDS);
        requireWithin("--timeout", timeout, 0.001, MAX_SECONDS);
        requireWithin("--churn", churn, 0, MAX_RATE);
        if (!candidates.equals("all") && !candidates.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException(
                    "--candidates must be all or a number of nodes, was '" + candidates + "'");
        }
        if (stream && call != Call.evaluate) {
            throw new IllegalArgumentException(
                    "--stream requires --call evaluate, because the other calls have no stream");
        }
    }

    private static void requireWithin(String option, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    option + " must be from " + words(least) + " to " + words(most) + ", was " + words(value));
        }
    }

    private static String words(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    boolean isOpen() {
        return load.rate != null;
    }

    /** Pods per call. */
    int batch() {
        return batch;
    }

    /** Pod events per second; 0 for none. */
    double churn() {
        return churn;
    }

    Duration warmUp() {
        return ofSeconds(warmUp);
    }

    Duration duration() {
        return ofSeconds(duration);
    }

    Duration timeout() {
        return ofSeconds(timeout);
    }

    private static Duration ofSeconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    /** The loop that makes the calls. */
    Loop loop(LoadCaller caller, LatencyRecording recording) {
        return load.rate != null
                ? new OpenLoop(load.rate, Clock.SYSTEM, caller, recording)
                : new ClosedLoop(load.concurrency, Clock.SYSTEM, caller, recording);
    }

    /** The pods that are asked about, in turn. */
    List<Pod> pods(ClusterGenerator cluster) throws IOException {
        Path file = manifest;
        if (file != null) {
            return List.of(PodManifest.read(Files.newInputStream(file), file.toString())
                    .pod());
        }
        return new IncomingPods(cluster, shapes, workloads).list(batch);
    }

    /**
     * The number of pods of a call that differ in more than name and UID. The server evaluates at most that many,
     * because it evaluates equal pods once.
     */
    int judged(List<Pod> pods) {
        return (int) IncomingPods.batches(pods, batch).get(0).stream()
                .map(pod -> pod.toBuilder()
                        .setMetadata(pod.getMetadata().toBuilder().clearName().clearUid())
                        .build())
                .distinct()
                .count();
    }

    /** Makes the calls about these pods to {@code server}, through {@code channel}. */
    LoadCaller caller(List<Pod> pods, PlacementClient server, Channel channel) {
        List<List<Pod>> batches = IncomingPods.batches(pods, batch);
        QueryOptions options = QueryOptions.newBuilder()
                .setCandidates(
                        candidates.equals("all")
                                ? CandidateNodes.all()
                                : CandidateNodes.named(ServerNodes.some(server, Integer.parseInt(candidates))))
                .setForm(packed ? AnswerForm.ANSWER_FORM_PACKED : AnswerForm.ANSWER_FORM_READABLE)
                .setMaxBest(best)
                .build();
        if (stream) {
            return new StreamCaller<>(channel, LoadQuestions.evaluateStream(batches, options), timeout(), Clock.SYSTEM);
        }
        LoadQuestions<?, ?> questions = switch (call) {
            case filter -> LoadQuestions.filter(batches, options);
            case score -> LoadQuestions.score(batches, options);
            case evaluate -> LoadQuestions.evaluate(batches, options);
        };
        return new UnaryCaller<>(channel, questions, timeout());
    }
}
