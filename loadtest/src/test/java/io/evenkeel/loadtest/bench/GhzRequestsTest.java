package io.evenkeel.loadtest.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ScoreRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the requests and settings in loadtest/ghz against the cluster that they are made for. */
final class GhzRequestsTest {
    private static final Path DIRECTORY = Path.of("ghz");
    private static final ClusterGenerator CLUSTER =
            new ClusterGenerator(ClusterShape.of(1, 60, 10_000).withSizes(WorkloadSizes.MANY));
    private static final PlacementClient CLIENT = EmbeddedPlacement.start();

    @BeforeAll
    static void feed() {
        try (ClusterFeed feed = CLIENT.feed()) {
            feed.snapshot(CLUSTER.objects());
        }
    }

    @AfterAll
    static void close() {
        CLIENT.close();
    }

    @ParameterizedTest
    @CsvSource({"unary.json, 1", "batch.json, 20"})
    void everyPod_asksAsItsWorkloadDoes(String file, int pods) throws IOException {
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder();
        JsonFormat.parser().merge(Files.readString(DIRECTORY.resolve(file)), request);
        assertEquals(pods, request.getPodsCount());
        for (Pod pod : request.getPodsList()) {
            String app = pod.getMetadata().getLabelsOrThrow("app");
            Workload workload = CLUSTER.workloads().stream()
                    .filter(each -> each.name().equals(app))
                    .findFirst()
                    .orElseThrow();
            assertEquals(workload.namespace(), pod.getMetadata().getNamespace());
            PodSpec spec = workload.incomingPod().getSpec().toBuilder()
                    .clearSchedulerName()
                    .build();
            assertEquals(spec, pod.getSpec());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"filter-unary", "filter-batch", "score-unary", "score-batch", "evaluate-unary", "evaluate-batch"
            })
    void everyPod_isAnswered(String name) throws IOException {
        JsonObject settings = JsonParser.parseString(Files.readString(DIRECTORY.resolve(name + ".json")))
                .getAsJsonObject();
        assertEquals(name, settings.get("name").getAsString());
        String text =
                Files.readString(DIRECTORY.resolve(settings.get("data-file").getAsString()));
        List<PodAnswer> answers = answers(settings.get("call").getAsString(), text);
        assertEquals(name.endsWith("batch") ? 20 : 1, answers.size());
        for (PodAnswer answer : answers) {
            assertFalse(answer.hasError(), answer::toString);
            assertEquals(60, answer.getPacked().getCandidateCount());
        }
    }

    private static List<PodAnswer> answers(String call, String text) throws IOException {
        switch (call) {
            case "evenkeel.v1.Placement.Filter" -> {
                FilterRequest.Builder request = FilterRequest.newBuilder();
                JsonFormat.parser().merge(text, request);
                return CLIENT.filter(request.build()).getAnswersList();
            }
            case "evenkeel.v1.Placement.Score" -> {
                ScoreRequest.Builder request = ScoreRequest.newBuilder();
                JsonFormat.parser().merge(text, request);
                return CLIENT.score(request.build()).getAnswersList();
            }
            case "evenkeel.v1.Placement.Evaluate" -> {
                EvaluateRequest.Builder request = EvaluateRequest.newBuilder();
                JsonFormat.parser().merge(text, request);
                return CLIENT.evaluate(request.build()).getAnswersList();
            }
            default -> throw new IllegalArgumentException(call);
        }
    }
}
