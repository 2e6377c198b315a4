package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Builds the Go programs of the documentation and runs them against a server. Runs only with {@code -Pgo}, because it
 * needs Go 1.26, and the network if modules are not cached.
 */
@Tag("go")
final class GoProgramsTest {
    private static final int MANY_NODES = 100_000;
    private static final int NODES_A_CALL = 10_000;

    /** For modules after {@code go vet}. Their tests would check them again, and all packages that they use. */
    private static final String VETTED = "-vet=off";

    private static final String LISTING = """
            package main

            import (
            	"context"
            	"fmt"
            	"log"
            	"os"

            	"evenkeel.io/client/go/evenkeelv1"
            	"evenkeel.io/client/go/nodetable"
            	"google.golang.org/grpc"
            	"google.golang.org/grpc/credentials/insecure"
            )

            func main() {
            	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
            	if err != nil {
            		log.Fatal(err)
            	}
            	defer connection.Close()
            	tables := &nodetable.Tables{}
            	table, err := tables.List(context.Background(), evenkeelv1.NewClusterStateClient(connection))
            	if err != nil {
            		log.Fatal(err)
            	}
            	bits, unknown := table.Bits(table.Name(7), table.Name(99_999))
            	if len(unknown) > 0 {
            		log.Fatal(unknown)
            	}
            	response, err := evenkeelv1.NewPlacementClient(connection).Filter(context.Background(),
            		&evenkeelv1.FilterRequest{
            			Pods: []*evenkeelv1.Pod{{}},
            			Options: &evenkeelv1.QueryOptions{
            				Candidates: &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Bits{Bits: bits}},
            			},
            		})
            	if err != nil {
            		log.Fatal(err)
            	}
            	fmt.Println(table.Len(), "nodes,", response.Answers[0].GetReadable().CandidateCount, "candidates")
            }
            """;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void example_feedsACluster_readsTheAcknowledgements_andAsks() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            String output = go(
                    ProjectFiles.root().resolve("client/go/example"),
                    "run",
                    ".",
                    "-sample",
                    "-target",
                    "127.0.0.1:" + server.port());
            List<String> lines = output.lines().toList();
            assertEquals(7, lines.size(), output);
            assertTrue(lines.get(0).startsWith("0 objects applied, 0 removed; revision "), output);
            assertTrue(lines.get(1).startsWith("7 objects applied, 0 removed; revision "), output);
            assertTrue(lines.get(2).startsWith("0 objects applied, 0 removed; revision "), output);
            assertTrue(lines.get(3).startsWith("2 of 3 nodes may take the pod, at revision "), output);
            assertTrue(lines.get(4).contains("node-b"), output);
            assertTrue(lines.get(5).contains("node-c"), output);
            assertEquals("  1 node(s) didn't match pod topology spread constraints", lines.get(6));
        }
    }

    /** The other feeder leaves once the program is seen waiting for it. */
    @Test
    void example_waitsForAnotherFeeder_andTakesOverOnlyWhenAsked() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0));
                PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.port())) {
            Path errors = Files.createTempFile(directory, "errors", ".txt");
            Process waiting;
            BufferedReader output;
            try (ClusterFeed other = client.feed(FeedOptions.named("the other"))) {
                other.snapshot(ClientWorld.zones(9, 9, 9).iterator());
                waiting = example(errors, server, "-sample");
                output = waiting.inputReader(StandardCharsets.UTF_8);
                String first = output.readLine();
                assertTrue(first.startsWith("waiting for the other feeder: another stream of the feeder"), first);
                assertEquals(27, client.status().getPodCount());
            }
            List<String> rest = output.lines().toList();
            assertTrue(rest.get(rest.size() - 3).contains("node-b"), rest::toString);
            assertTrue(waiting.waitFor(10, TimeUnit.MINUTES));
            assertEquals(0, waiting.exitValue(), () -> text(errors));
            assertEquals(4, client.status().getPodCount());
            try (ClusterFeed other = client.feed(FeedOptions.named("the other"))) {
                other.snapshot(ClientWorld.zones(9, 9, 9).iterator());
                Process taking = example(errors, server, "-sample", "-takeover");
                String taken = new String(taking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertFalse(taken.contains("waiting"), taken);
                assertTrue(taking.waitFor(10, TimeUnit.MINUTES));
                assertEquals(0, taking.exitValue(), () -> text(errors));
                assertEquals(4, client.status().getPodCount());
            }
        }
    }

    private static Process example(Path errors, EvenkeelServer server, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("go", "run", ".", "-target", "127.0.0.1:" + server.port()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(ProjectFiles.root().resolve("client/go/example").toFile())
                .redirectError(errors.toFile())
                .start();
    }

    @Test
    void example_goesByTheReason_whenItsCallFails() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            Path errors = Files.createTempFile(directory, "errors", ".txt");
            Process process = example(errors, server);
            assertTrue(process.waitFor(10, TimeUnit.MINUTES));
            assertEquals(1, process.exitValue());
            assertTrue(text(errors).contains("the server has no cluster yet"), () -> text(errors));
        }
    }

    /** The steps of the README, in a separate directory. */
    @Test
    void program_isMadeAndRunAsTheReadmeSays() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0));
                PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.port())) {
            ClientWorld.add(client, ClientWorld.zones(2, 1, 1));
            go(directory, "mod", "init", "ask");
            go(directory, "mod", "edit", "-replace", "evenkeel.io/client/go=" + ProjectFiles.root() + "/client/go");
            Files.writeString(directory.resolve("main.go"), ProjectFiles.read("client/go/example/ask/main.go"));
            go(directory, "mod", "tidy");
            assertEquals("node-b\nnode-c\n", go(directory, "run", ".", "127.0.0.1:" + server.port()));
        }
    }

    /** Each name has the maximum length, so the whole table takes 25 MB. A Go client accepts messages of 4 MiB. */
    @Test
    void tableOf100000Nodes_isListed_andAskedAboutByBits() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0));
                PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.port())) {
            for (int first = 0; first < MANY_NODES; first += NODES_A_CALL) {
                ClientWorld.add(
                        client,
                        IntStream.range(first, first + NODES_A_CALL)
                                .mapToObj(GoProgramsTest::node)
                                .toList());
            }
            go(directory, "mod", "init", "list");
            go(directory, "mod", "edit", "-replace", "evenkeel.io/client/go=" + ProjectFiles.root() + "/client/go");
            Files.writeString(directory.resolve("main.go"), LISTING);
            go(directory, "mod", "tidy");
            assertEquals("100000 nodes, 2 candidates\n", go(directory, "run", ".", "127.0.0.1:" + server.port()));
        }
    }

    private static ClusterObject node(int number) {
        String name = "n%0252d".formatted(number);
        return ClusterObject.newBuilder()
                .setNode(Node.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder().setName(name).setUid(name)))
                .build();
    }

    @Test
    void packages_passTheirOwnTests() throws Exception {
        Path module = ProjectFiles.root().resolve("client/go");
        go(module, "vet", "./...");
        assertTrue(go(module, "test", VETTED, "./...").contains("ok  \tevenkeel.io/client/go/nodetable"));
    }

    /** The tests against a real control plane run elsewhere. */
    @Test
    void feed_passesItsOwnTests() throws Exception {
        Path module = ProjectFiles.root().resolve("client/go/feed");
        go(module, "vet", "./...");
        assertTrue(go(module, "test", VETTED, "./...").contains("ok  \tevenkeel.io/client/go/feed"));
    }

    @Test
    void autoscaler_passesItsOwnTests() throws Exception {
        Path module = ProjectFiles.root().resolve("client/go/autoscaler");
        go(module, "vet", "./...");
        String output = testsWithServer(module, "./...");
        assertTrue(output.contains("--- PASS: TestAdapter_"), output);
        assertFalse(output.contains("--- SKIP"), output);
    }

    @Test
    void examplesOfCalls_printWhatTheySay() throws Exception {
        Path module = ProjectFiles.root().resolve("client/go");
        String ofSkew = testsWithServer(module, "./skew");
        assertTrue(ofSkew.contains("--- PASS: Example_rebalance"), ofSkew);
        String ofUnblocked = testsWithServer(module, "./unblocked");
        assertTrue(ofUnblocked.contains("--- PASS: ExampleWatch"), ofUnblocked);
    }

    /** The output of Go tests that feed the server themselves. */
    private String testsWithServer(Path module, String packages) throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ProcessBuilder tests = new ProcessBuilder("go", "test", VETTED, "-count=1", "-v", packages);
            tests.directory(module.toFile()).environment().put("EVENKEEL_TARGET", "127.0.0.1:" + server.port());
            return run(tests);
        }
    }

    /** The output of a go command, which must succeed. */
    private String go(Path in, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("go"));
        command.addAll(List.of(arguments));
        return run(new ProcessBuilder(command).directory(in.toFile()));
    }

    /** The output of a command, which must succeed. */
    private String run(ProcessBuilder command) throws IOException, InterruptedException {
        Path errors = Files.createTempFile(directory, "errors", ".txt");
        Process process = command.redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(10, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue(), () -> command.command() + ": " + output + text(errors));
        return output;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
