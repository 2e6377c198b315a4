package io.evenkeel.loadtest.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.evenkeel.loadtest.CommandRun;
import io.evenkeel.loadtest.ProgramRun;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.LocalServer;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.PodAnswer;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the command line, with servers in this process and with the server that it starts. */
@Tag("long")
final class LoadCommandTest {
    private static final List<String> SMALL = List.of("--nodes", "30", "--pods", "600");
    private static final List<String> SHORT = List.of("--warmup", "0.2", "--duration", "1");

    @TempDir
    private Path directory;

    private static CommandRun load(List<String> common, String... more) {
        List<String> args = new ArrayList<>(List.of("load"));
        args.addAll(SMALL);
        args.addAll(common);
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private JsonNode json(Path file) throws IOException {
        return new ObjectMapper().readTree(file.toFile());
    }

    /** A server in this process with the cluster that {@link #SMALL} makes. */
    private static LocalServer filled() throws IOException {
        LocalServer server = LocalServer.start();
        ClusterFill.send(
                new ClusterGenerator(ClusterShape.of(1, 30, 600).withSizes(WorkloadSizes.MANY)).objects(),
                server.client());
        return server;
    }

    @Test
    void openLoop_onItsOwnServer_writesACompleteReport() throws Exception {
        Path json = directory.resolve("load.json");
        // So few calls that a server that has just started need not reject any, even if it takes 0.3 s for the first.
        CommandRun run = load(SHORT, "--rate", "50", "--json", json.toString());
        assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(run.output().contains("latency from schedule"), run::output);

        JsonNode report = json(json);
        // From 0.2 s to 1.2 s after the start, one every 20 ms.
        assertEquals(50, report.get("calls").asInt());
        assertEquals(50, report.get("latencyNanos").get("count").asInt());
        assertEquals(50, report.get("lateNanos").get("count").asInt());
        assertEquals(0, report.get("failed").asInt());
        assertEquals(0, report.get("errors").size());
        assertTrue(report.get("churn").isNull());
        assertEquals(30, report.get("server").get("nodes").asInt());
        assertTrue(report.get("arguments").toString().contains("\"--rate\",\"50\""), report::toString);
        JsonNode latency = report.get("latencyNanos");
        long before = 0;
        for (String percentile : List.of("min", "p50", "p90", "p99", "p999", "max")) {
            assertTrue(latency.get(percentile).asLong() >= before && before >= 0, latency::toString);
            before = latency.get(percentile).asLong();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--call,filter",
        "--call,score",
        "--call,evaluate",
        "--stream,--packed",
        "--batch,50",
        "--candidates,7",
        "--best,1",
        "--ask,'hard-zone,hard-zone-soft-hostname,five-constraints,defaults-with-owner,defaults-without-owner'"
    })
    void everyCall_isAnswered_howeverItIsAsked(String first, String second) throws IOException {
        try (LocalServer server = filled()) {
            Path json = directory.resolve("load.json");
            CommandRun run = load(
                    SHORT, "--server", server.target(), first, second, "--concurrency", "4", "--json", json.toString());
            assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
            JsonNode report = json(json);
            assertTrue(report.get("calls").asInt() > 0);
            assertTrue(report.get("lateNanos").isNull());
            assertEquals(600, report.get("server").get("pods").asInt());
            // The cluster has two workloads.
            assertEquals(
                    first.equals("--batch") ? 2 : 1, report.get("judgedPerCall").asInt());
        }
    }

    @Test
    void manifest_isAskedAbout() throws IOException {
        Path manifest = directory.resolve("pod.yaml");
        Files.writeString(manifest, "kind: Pod\nmetadata: {namespace: shop, labels: {app: web}}\n");
        try (LocalServer server = filled()) {
            Path json = directory.resolve("load.json");
            CommandRun run = load(
                    SHORT,
                    "--server",
                    server.target(),
                    "--manifest",
                    manifest.toString(),
                    "--batch",
                    "3",
                    "--json",
                    json.toString());
            assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
            // Three times the same pod, which is evaluated once.
            JsonNode report = json(json);
            assertEquals(1, report.get("judgedPerCall").asInt());
            assertEquals(
                    report.get("callsPerSecond").asDouble(),
                    report.get("judgedPerSecond").asDouble());
            assertTrue(run.output().contains("evaluated pods: 1 per call"), run::output);
        }
    }

    @Test
    void churn_arrives_andIsReverted() throws IOException {
        try (LocalServer server = filled()) {
            GetStatusResponse before = server.client().status();
            Path json = directory.resolve("load.json");
            CommandRun run = load(
                    SHORT, "--server", server.target(), "--rate", "50", "--churn", "3000", "--json", json.toString());
            assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
            JsonNode churn = json(json).get("churn");
            long sent = churn.get("sent").asLong();
            assertTrue(sent > ChurnPods.MAX_ALIVE, churn::toString);
            GetStatusResponse after = server.client().status();
            assertTrue(
                    after.getRevision().getCounter() - before.getRevision().getCounter() >= sent / 1_000,
                    after::toString);
            assertTrue(churn.get("fault").isNull(), churn::toString);
            assertEquals(before.getPodCount(), after.getPodCount());
            assertEquals(before.getCountedPodCount(), after.getCountedPodCount());
        }
    }

    @Test
    void churn_isReverted_whenTheProgramIsInterrupted() throws Exception {
        try (LocalServer server = filled()) {
            Process program = ProgramRun.start(
                    "", directory, "load", "--server", server.target(), "--churn", "2000", "--duration", "600");
            try {
                while (server.client().status().getPodCount() < 700) {
                    assertTrue(program.isAlive(), () -> "it ended with " + program.exitValue());
                    sleep(10);
                }
                program.destroy();
                assertTrue(program.waitFor(1, TimeUnit.MINUTES));
            } finally {
                program.destroyForcibly();
            }
            assertEquals(600, server.client().status().getPodCount());
        }
    }

    @Test
    void failedCalls_areCountedByStatusAndReason_andExitIsOne() throws IOException {
        PlacementGrpc.PlacementImplBase service = new PlacementGrpc.PlacementImplBase() {
            private int calls;

            @Override
            public synchronized void evaluate(EvaluateRequest request, StreamObserver<EvaluateResponse> answers) {
                switch (calls++ % 3) {
                    case 0 ->
                        answers.onError(StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                                .setCode(Status.Code.RESOURCE_EXHAUSTED.value())
                                .setMessage("</script><b>full</b>")
                                .addDetails(Any.pack(ErrorInfo.newBuilder()
                                        .setDomain("evenkeel.io")
                                        .setReason("ERROR_REASON_TOO_BUSY")
                                        .build()))
                                .build()));
                    case 1 -> {
                        PodAnswer.Builder wrong = PodAnswer.newBuilder();
                        wrong.getErrorBuilder()
                                .setCode(3)
                                .setReason(ErrorReason.ERROR_REASON_INVALID_FIELD)
                                .setMessage("no such zone");
                        answers.onNext(
                                EvaluateResponse.newBuilder().addAnswers(wrong).build());
                        answers.onCompleted();
                    }
                    default -> {
                        answers.onNext(EvaluateResponse.getDefaultInstance());
                        answers.onCompleted();
                    }
                }
            }
        };
        try (ScriptedPlacementServer server = ScriptedPlacementServer.start(service)) {
            Path json = directory.resolve("load.json");
            CommandRun run = load(
                    List.of("--warmup", "0", "--duration", "0.6"),
                    "--server",
                    server.target(),
                    "--rate",
                    "100",
                    "--json",
                    json.toString());
            assertEquals(1, run.exitCode(), () -> run.output() + run.errors());
            JsonNode report = json(json);
            assertEquals(60, report.get("calls").asInt());
            assertEquals(40, report.get("failed").asInt());
            JsonNode errors = report.get("errors");
            assertEquals("RESOURCE_EXHAUSTED", errors.get(0).get("status").asText());
            assertEquals("TOO_BUSY", errors.get(0).get("reason").asText());
            assertEquals(20, errors.get(0).get("calls").asInt());
            assertEquals("</script><b>full</b>", errors.get(0).get("example").asText());
            assertEquals("item: INVALID_ARGUMENT", errors.get(1).get("status").asText());
            assertEquals("INVALID_FIELD", errors.get(1).get("reason").asText());
            assertEquals(20, errors.get(1).get("calls").asInt());
            assertTrue(run.output().contains("TOO_BUSY"), run::output);
        }
    }

    @Test
    void stalledServer_isSeenInTheCallsThatWaited() throws IOException {
        PlacementGrpc.PlacementImplBase service = new PlacementGrpc.PlacementImplBase() {
            private int calls;

            @Override
            public synchronized void evaluate(EvaluateRequest request, StreamObserver<EvaluateResponse> answers) {
                if (calls++ == 20) {
                    sleep(500);
                }
                answers.onNext(EvaluateResponse.getDefaultInstance());
                answers.onCompleted();
            }
        };
        try (ScriptedPlacementServer server = ScriptedPlacementServer.start(service)) {
            Path json = directory.resolve("load.json");
            CommandRun run = load(
                    List.of("--warmup", "0", "--duration", "1"),
                    "--server",
                    server.target(),
                    "--rate",
                    "100",
                    "--json",
                    json.toString());
            assertEquals(0, run.exitCode(), run::errors);
            JsonNode latency = json(json).get("latencyNanos");
            // Half of the calls were due while the server was stalled. These waited a quarter of a second on average.
            assertEquals(100, latency.get("count").asInt());
            assertTrue(latency.get("max").asLong() >= 490_000_000, latency::toString);
            assertTrue(latency.get("p90").asLong() >= 350_000_000, latency::toString);
            assertTrue(latency.get("mean").asLong() >= 100_000_000, latency::toString);
        }
    }

    @Test
    void brokenStream_failsTheCallsInProgress_andIsOpenedAgain() throws IOException {
        PlacementGrpc.PlacementImplBase service = new PlacementGrpc.PlacementImplBase() {
            @Override
            public StreamObserver<EvaluateStreamRequest> evaluateStream(
                    StreamObserver<EvaluateStreamResponse> answers) {
                return new BreakingStream(answers, 5);
            }
        };
        try (ScriptedPlacementServer server = ScriptedPlacementServer.start(service)) {
            Path json = directory.resolve("load.json");
            CommandRun run = load(
                    List.of("--warmup", "0", "--duration", "0.6"),
                    "--server",
                    server.target(),
                    "--stream",
                    "--rate",
                    "100",
                    "--json",
                    json.toString());
            assertEquals(1, run.exitCode(), run::errors);
            JsonNode report = json(json);
            assertEquals(60, report.get("calls").asInt());
            JsonNode errors = report.get("errors");
            assertEquals("ABORTED", errors.get(0).get("status").asText());
            assertTrue(errors.get(0).get("calls").asInt() >= 10, errors::toString);
        }
    }

    @Test
    void exitIsTwo_inOneLine_whenTheServerCannotBeReached() {
        CommandRun run = load(SHORT, "--server", "127.0.0.1:1", "--timeout", "60");
        assertEquals(2, run.exitCode());
        assertEquals(1, run.errors().lines().count(), run::errors);
        assertEquals(
                "evenkeel load: 127.0.0.1:1: UNAVAILABLE: connection refused by 127.0.0.1:1",
                run.errors().strip());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--rate 0",
                "--rate -5",
                "--rate fast",
                "--concurrency 0",
                "--rate 5 --concurrency 2",
                "--duration 0",
                "--churn -1",
                "--batch 0",
                "--best 0",
                "--candidates some",
                "--candidates 31",
                "--ask soft-zone",
                "--call whatif",
                "--stream --call filter",
                "--workloads 0",
                "--server nowhere",
                "--json /nowhere/load.json",
                "--nodes 0",
                "--pods 0",
                "--shape huge"
            })
    void badUsage_isNamed_andExitIsTwo(String arguments) throws IOException {
        try (LocalServer server = filled()) {
            List<String> common = new ArrayList<>(SHORT);
            if (!arguments.startsWith("--server")) {
                common.addAll(List.of("--server", server.target()));
            }
            List<String> args = new ArrayList<>(List.of("load"));
            args.addAll(common);
            args.addAll(List.of(arguments.split(" ")));
            CommandRun run = CommandRun.of(args.toArray(String[]::new));
            assertEquals(2, run.exitCode(), run::output);
            assertEquals(1, run.errors().lines().count(), run::errors);
            assertTrue(run.errors().contains(arguments.substring(2, arguments.indexOf(' '))), run::errors);
        }
    }

    @Test
    void missingManifest_isNamed_andExitIsTwo() {
        CommandRun run = load(SHORT, "--manifest", "/nowhere/pod.yaml");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("/nowhere/pod.yaml"), run::errors);
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
