package io.evenkeel.loadtest.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.MessageLite;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.CommandRun;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.load.DirectChannel;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.IncomingPods;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.loadtest.v1.EchoRequest;
import io.evenkeel.loadtest.v1.EchoResponse;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.grpc.Channel;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the command line, on a small cluster in a server in a separate JVM. */
@Tag("long")
final class RpcCommandTest {
    @TempDir
    private Path directory;

    @Test
    void socket_isMeasuredNextToTcp() throws Exception {
        Path json = directory.resolve("unix.json");
        CommandRun run = CommandRun.of(
                "bench",
                "rpc",
                "--unix",
                "--nodes",
                "200",
                "--pods",
                "4000",
                "--seconds",
                "0.2",
                "--warmup",
                "0.1",
                "--json",
                json.toString());
        assertTrue(
                run.lastLine().matches("64 in flight, packed: the p50 over the socket is .* times that over TCP"),
                run::output);
        JsonNode rows = new ObjectMapper().readTree(json.toFile()).get("rows");
        assertEquals(12, rows.size());
        for (int i = 0; i < rows.size(); i++) {
            assertTrue(rows.get(i).get("what").asText().startsWith(i % 2 == 0 ? "tcp: " : "unix: "), run::output);
            assertTrue(rows.get(i).get("calls").asLong() > 0, run::output);
            assertTrue(rows.get(i).get("besideNanos").asLong() > 0, run::output);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AnswerForm.class,
            names = {"ANSWER_FORM_READABLE", "ANSWER_FORM_PACKED", "ANSWER_FORM_BEST"})
    void echoes_areOfTheSizeOfWhatTheyStandNextTo(AnswerForm form) throws Exception {
        ClusterGenerator cluster = new ClusterGenerator(ClusterShape.of(1, 300, 3_000));
        try (ServerUnderTest server = ServerUnderTest.withEcho();
                PlacementClient client = RemotePlacement.connect(server.target());
                DirectChannel connection = new DirectChannel(server.target())) {
            ClusterFill.send(cluster.objects(), client);
            List<Spread> shapes = List.of(Spread.HARD_ZONE_HARD_HOSTNAME, Spread.SOFT_ZONE_SOFT_HOSTNAME);
            List<List<Pod>> batches = IncomingPods.batches(new IncomingPods(cluster, shapes, 10).list(1), 1);
            assertEchoesAreAsLarge(connection.channel(), LoadQuestions.evaluate(batches, RpcBench.options(form)));
            assertEchoesAreAsLarge(connection.channel(), LoadQuestions.evaluateStream(batches, RpcBench.options(form)));
        }
    }

    private static <A extends MessageLite> void assertEchoesAreAsLarge(
            Channel channel, LoadQuestions<EncodedRequest, A> asked) throws Exception {
        LoadQuestions<EchoRequest, EchoResponse> echoes = EchoQuestions.like(channel, asked);
        assertEquals(asked.isStream(), echoes.isStream());
        try (TimedCall<EncodedRequest, A> call = TimedCall.of(channel, asked);
                TimedCall<EchoRequest, EchoResponse> echoed = TimedCall.of(channel, echoes)) {
            for (int i = 0; i < 20; i++) {
                EncodedRequest request = asked.request(i);
                EchoRequest echo = echoes.request(i);
                assertEquals(request.size(), echo.getSerializedSize());
                assertEquals(
                        call.answer(request).getSerializedSize(),
                        echoed.answer(echo).getSerializedSize());
            }
        }
    }

    @Test
    void callThatFails_givesNoFigure() throws Exception {
        try (ServerUnderTest server = ServerUnderTest.withEcho();
                DirectChannel connection = new DirectChannel(server.target())) {
            ClusterGenerator cluster = new ClusterGenerator(ClusterShape.of(1, 10, 100));
            LoadQuestions<EncodedRequest, EvaluateResponse> asked = LoadQuestions.evaluate(
                    IncomingPods.batches(new IncomingPods(cluster, List.of(Spread.HARD_ZONE), 1).list(1), 1),
                    QueryOptions.getDefaultInstance());
            // The server has not been fed.
            CommandFailure failed = assertThrows(
                    CommandFailure.class,
                    () -> TimedCall.of(connection.channel(), asked).time());
            assertTrue(failed.toString().contains("UNAVAILABLE"), failed::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--seconds 0",
                "--seconds much",
                "--warmup -1",
                "--pods 0",
                "--nodes 0",
                "--json /nowhere/rpc.json"
            })
    void badUsage_isNamed_andExitIsTwo(String arguments) {
        String[] typed = arguments.split(" ", -1);
        CommandRun run = CommandRun.of("bench", "rpc", typed[0], typed[1]);
        assertEquals(2, run.exitCode(), run::output);
        assertEquals(1, run.errors().lines().count(), run::errors);
        assertTrue(run.errors().contains(typed[0].substring(2)), run::errors);
    }
}
