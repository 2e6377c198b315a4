package io.evenkeel.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.client.AsyncPlacement;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.GetStatusResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what is left to load for first calls after some turns of the warm-up. Java loads a class, or makes the code for
 * a lambda or for the {@code equals} of a record, where it is first used: that takes a first caller up to some
 * milliseconds.
 */
@Timeout(120)
final class FirstCallsTest {
    /** A server that gets its cluster at once makes some more. */
    private static final int TURNS = 15 * Caller.CALLS;

    private static final String JDKS_OWN = "source: jrt:/java.base";
    private static final int QUESTIONS = 12;
    private static final int TIMES = 3;

    @TempDir
    private Path directory;

    @Test
    void firstCalls_needNoCodeThatJavaHasNotLoaded() throws Exception {
        Path loaded = directory.resolve("loaded.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load:file=" + loaded + "::filecount=0",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FirstCalls.class.getName(),
                        loaded.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), told);
        // Java's compilers load classes of the JDK's own, too.
        List<String> byCalls =
                told.lines().filter(line -> !line.endsWith(JDKS_OWN)).toList();
        assertEquals(List.of(), byCalls);
    }

    /** Run in a JVM of its own: makes some turns of the warm-up and then calls, and prints what these had loaded. */
    static final class FirstCalls {
        private FirstCalls() {}

        public static void main(String[] arguments) throws Exception {
            Path loaded = Path.of(arguments[0]);
            try (TestServer server = TestServer.start();
                    Feeder feeder = new Feeder("127.0.0.1:" + server.server.port());
                    PlacementClient client = RemotePlacement.builder("127.0.0.1:" + server.server.port())
                            .executor(Runnable::run)
                            .build();
                    Caller caller = new Caller(client, feeder)) {
                for (int turn = 0; turn < TURNS; turn++) {
                    caller.call(turn, true);
                }
                caller.awaitAnswers();
                GetStatusResponse status = client.status();
                long before = Files.size(loaded);
                for (int question = 0; question < QUESTIONS; question++) {
                    ask(client.async(), question, status);
                }
                byte[] after = Files.readAllBytes(loaded);
                System.out.write(after, (int) before, (int) (after.length - before));
                System.out.flush();
            }
        }

        private static void ask(AsyncPlacement calls, int question, GetStatusResponse status) {
            for (int time = 0; time < TIMES; time++) {
                calls.filter(UsualCalls.filter(question, status.getRevision(), status.getNodeTableToken()))
                        .join();
                calls.score(UsualCalls.score(question, status.getRevision(), status.getNodeTableToken()))
                        .join();
                calls.evaluate(UsualCalls.evaluate(question)).join();
            }
            calls.assume(UsualCalls.assume(question)).join();
            calls.forget(UsualCalls.forget(question)).join();
        }
    }
}
