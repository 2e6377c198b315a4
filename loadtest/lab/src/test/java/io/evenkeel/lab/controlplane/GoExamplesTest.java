package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.local.Checkout;
import io.evenkeel.loadtest.local.ServerUnderTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs both Go examples against a server that authenticates callers. One feeds it from a real control plane, whose
 * certificates all three use, and the other queries it.
 */
@Tag("kube")
@Timeout(600)
final class GoExamplesTest {
    private static final String TOKEN = "token-of-tests-0123456789";

    @TempDir
    private Path directory = Path.of("");

    /** A program that has ended. */
    private record Ended(int code, String output, String errors) {}

    @Test
    void examples_areLetIn_byCertificate_byToken_andThroughASocket_andRefusedElse() throws Exception {
        Path feed = build("feed", "./example");
        Path ask = build("example", ".");
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"))) {
            for (String zone : List.of("a", "b", "c")) {
                plane.client()
                        .call("POST", "/api/v1/nodes", """
                                {"metadata": {"name": "node-%s", "labels": {"topology.kubernetes.io/zone": "%s"}}}
                                """.formatted(zone, zone))
                        .join();
            }
            Path socket = directory.resolve("e.sock");
            String ca = file(plane, "ca.crt");
            String[] certificate = {"-cert", file(plane, "admin.crt"), "-key", file(plane, "admin.key")};
            try (ServerUnderTest server = serve(plane, socket)) {
                String[] strangers = {"-target", server.target(), "-ca", ca};
                assertRefused("CREDENTIALS_MISSING", ask, strangers);
                assertFeederRefused("CREDENTIALS_MISSING", plane, feed, strangers);
                assertRefused("unknown authority", ask, "-target", server.target(), "-ca", certificate[1]);
                assertRefused("-cert and -key require -ca", ask, certificate);
                assertFedAndAnswered(plane, feed, ask, and(strangers, certificate));
            }
            Path token = Files.writeString(directory.resolve("token"), TOKEN + "\n");
            Path wrong = Files.writeString(directory.resolve("wrong"), "wrong-" + TOKEN);
            try (ServerUnderTest server = serve(plane, socket)) {
                String[] strangers = {"-target", server.target(), "-ca", ca};
                assertRefused("CREDENTIALS_INVALID", ask, and(strangers, "-token-file", wrong.toString()));
                assertFeederRefused(
                        "CREDENTIALS_INVALID", plane, feed, and(strangers, "-token-file", wrong.toString()));
                assertFedAndAnswered(plane, feed, ask, and(strangers, "-token-file", token.toString()));
            }
            try (ServerUnderTest server = serve(plane, socket)) {
                assertRefused("Unavailable", ask, "-target", server.target());
                assertFedAndAnswered(plane, feed, ask, "-target", "unix:" + socket);
            }
        }
    }

    private Path build(String module, String program) throws IOException, InterruptedException {
        Path modules = Checkout.loadtest("controlplane/up").resolve("../client/go");
        Path built = directory.resolve(module);
        Process process = new ProcessBuilder("go", "build", "-o", built.toString(), program)
                .directory(modules.resolve(module).normalize().toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return built;
    }

    private static String file(ControlPlane plane, String name) {
        return plane.directory().resolve(name).toString();
    }

    /** A server without a cluster, with TLS and a socket. */
    private ServerUnderTest serve(ControlPlane plane, Path socket) throws IOException {
        return GuardedServer.start(plane, socket, TOKEN, "ask, feed", directory);
    }

    private static String[] and(String[] first, String... then) {
        return Stream.of(first, then).flatMap(Stream::of).toArray(String[]::new);
    }

    /** The answer is about the nodes of the control plane, so both programs were authorized. */
    private void assertFedAndAnswered(ControlPlane plane, Path feed, Path ask, String... reaching) throws Exception {
        Process feeding = feed(plane, feed, reaching);
        try {
            Ended asked = run(ask, reaching);
            while (asked.code != 0) {
                assertTrue(
                        asked.errors.contains("the server has no cluster yet")
                                || asked.errors.contains("FIRST_SNAPSHOT_UNDER_WAY"),
                        asked.errors);
                assertTrue(feeding.isAlive(), fed());
                Thread.sleep(100);
                asked = run(ask, reaching);
            }
            assertTrue(asked.output.startsWith("3 of 3 nodes may take the pod"), asked.output);
        } finally {
            feeding.destroy();
        }
        assertEquals(0, feeding.waitFor(), fed());
    }

    /** The feeder reports the reason, and retries until it is stopped. */
    private void assertFeederRefused(String why, ControlPlane plane, Path feed, String... reaching) throws Exception {
        Process feeding = feed(plane, feed, reaching);
        try {
            while (!fed().contains("Stream to the server ended")) {
                assertTrue(feeding.isAlive(), fed());
                Thread.sleep(100);
            }
        } finally {
            feeding.destroy();
        }
        assertEquals(0, feeding.waitFor(), fed());
        assertTrue(fed().contains(why), fed());
        assertFalse(fed().contains("The server accepted this feeder"), fed());
    }

    private Process feed(ControlPlane plane, Path program, String... reaching) throws IOException {
        String[] command = {
            program.toString(), "-kubeconfig", plane.kubeconfig().toString()
        };
        return new ProcessBuilder(and(command, reaching))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("fed").toFile())
                .start();
    }

    /** The feeder's output so far. */
    private String fed() throws IOException {
        return Files.readString(directory.resolve("fed"));
    }

    private void assertRefused(String why, Path program, String... arguments) throws Exception {
        Ended refused = run(program, arguments);
        assertEquals(1, refused.code, refused.output);
        assertTrue(refused.errors.contains(why), refused.errors);
    }

    private Ended run(Path program, String... arguments) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Path errors = directory.resolve("errors");
        Process process = new ProcessBuilder(and(new String[] {program.toString()}, arguments))
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        return new Ended(process.waitFor(), Files.readString(output), Files.readString(errors));
    }
}
