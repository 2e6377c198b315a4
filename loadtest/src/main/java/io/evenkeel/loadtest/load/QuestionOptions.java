package io.evenkeel.loadtest.load;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.IncomingShape;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for what is asked. */
final class QuestionOptions {
    /** The calls, named as on the command line. */
    enum Call {
        filter,
        score,
        evaluate
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
            converter = ShapeName.class,
            defaultValue = "hard-zone-hard-hostname,soft-zone-soft-hostname",
            description =
                    "The constraints of the pods, in turn: hard-zone, hard-zone-hard-hostname, soft-zone-soft-hostname,"
                            + " hard-zone-soft-hostname, five-constraints, defaults-with-owner, defaults-without-owner"
                            + " (default: ${DEFAULT-VALUE}). The pods are replicas of the generated cluster's workloads.")
    private List<IncomingShape> shapes = List.of();

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

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if an option is wrong; names the option
     */
    void check() {
        requireAtLeastOne("--workloads", workloads);
        requireAtLeastOne("--batch", batch);
        requireAtLeastOne("--best", best);
        if (!candidates.equals("all") && !candidates.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException(
                    "--candidates must be all or a number of nodes, was '" + candidates + "'");
        }
    }

    private static void requireAtLeastOne(String option, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(option + " must be at least 1, was " + value);
        }
    }

    /** Whether a call other than {@link Call#evaluate} was chosen, which cannot be made on a stream. */
    boolean isWithoutStream() {
        return call != Call.evaluate;
    }

    int batch() {
        return batch;
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

    /**
     * The requests to {@code server} about these pods.
     *
     * @param stream whether they are messages of a stream; only with {@link Call#evaluate}
     */
    Questions<?, ?> questions(List<Pod> pods, PlacementClient server, boolean stream) {
        List<List<Pod>> batches = IncomingPods.batches(pods, batch);
        QueryOptions options = options(server);
        return switch (call) {
            case filter -> Questions.filter(batches, options);
            case score -> Questions.score(batches, options);
            case evaluate -> stream ? Questions.evaluateStream(batches, options) : Questions.evaluate(batches, options);
        };
    }

    private QueryOptions options(PlacementClient server) {
        return QueryOptions.newBuilder()
                .setCandidates(
                        candidates.equals("all")
                                ? CandidateNodes.all()
                                : CandidateNodes.named(ServerNodes.some(server, Integer.parseInt(candidates))))
                .setForm(packed ? AnswerForm.ANSWER_FORM_PACKED : AnswerForm.ANSWER_FORM_READABLE)
                .setMaxBest(best)
                .build();
    }

    /** Adds the options to the settings shown in a report. */
    void describe(Map<String, Object> settings) {
        Path file = manifest;
        settings.put("call", call.name());
        if (file != null) {
            settings.put("manifest", file.toString());
        } else {
            settings.put("ask", shapes.stream().map(ShapeName::of).toList());
            settings.put("workloads", workloads);
        }
        settings.put("batch", batch);
        settings.put("candidates", candidates);
        settings.put("best", best);
        settings.put("form", packed ? "packed" : "readable");
    }
}
