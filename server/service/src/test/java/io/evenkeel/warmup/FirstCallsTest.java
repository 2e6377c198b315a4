package io.evenkeel.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.cli.ForkedJava;
import io.evenkeel.client.AsyncPlacement;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.GetStatusResponse;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what remains to be loaded by the first calls after some calls of the warm-up. Java loads a class, or generates
 * the code of a lambda or of the {@code equals} of a record, at its first use, which costs the first caller up to some
 * milliseconds.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FirstCallsTest {
    private static final int CONNECTIONS = 3;

    /** Over all connections, about as many as in a server that has its cluster two seconds after its start. */
    private static final int CALLS = 5 * WarmUpCalls.ROUND;

    private static final int QUESTIONS = 12;
    private static final int TIMES = 3;
    private static final int TRIES = 3;

    /** The sources in the log of the JDK's own classes, which any of its threads can load. */
    private static final List<String> JDKS_OWN = List.of("source: jrt:/java.base", "source: shared objects file");

    @TempDir
    private Path directory;

    @Test
    @Tag("long")
    void firstCalls_ofNewConnection_needNoCodeThatJavaHasNotLoaded() throws Exception {
        Set<String> byCalls = new TreeSet<>(loadedByFirstCalls(directory.resolve("loaded-0.txt")));
        // A class that is loaded in only some tries depends on the timing of threads.
        for (int i = 1; i < TRIES && !byCalls.isEmpty(); i++) {
            byCalls.retainAll(loadedByFirstCalls(directory.resolve("loaded-" + i + ".txt")));
        }
        assertEquals(Set.of(), byCalls);
    }

    private static List<String> loadedByFirstCalls(Path log) throws Exception {
        // C2 would load classes that methods mention.
        List<String> options = List.of("-XX:TieredStopAtLevel=1", "-Xlog:class+load:file=" + log + "::filecount=0");
        Process process = ForkedJava.of(options, WarmServer.class, List.of(log.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            BufferedReader told = process.inputReader();
            try (PlacementClient client = connect(Objects.requireNonNull(told.readLine()))) {
                GetStatusResponse status = client.status();
                for (int question = 0; question < QUESTIONS; question++) {
                    // These queries are new.
                    ask(client.async(), CONNECTIONS * CALLS + question, status);
                }
                process.outputWriter().close();
                List<String> loaded = told.lines().toList();
                assertEquals(0, process.waitFor());
                return loaded.stream()
                        .filter(line -> JDKS_OWN.stream().noneMatch(line::endsWith))
                        .map(FirstCallsTest::loadedClass)
                        .toList();
            }
        } finally {
            process.destroyForcibly();
        }
    }

    /** The line without the time at its beginning, and without addresses. */
    private static String loadedClass(String line) {
        return line.replaceFirst("^(\\[[^\\]]*\\])+ *", "").replaceAll("[/+]?0x[0-9a-f]+", "");
    }

    private static PlacementClient connect(String target) {
        return RemotePlacement.builder(target).executor(Runnable::run).build();
    }

    private static void ask(AsyncPlacement calls, int question, GetStatusResponse status) {
        for (int time = 0; time < TIMES; time++) {
            calls.filter(WarmUpCalls.filter(question, status.getRevision(), status.getNodeTableToken()))
                    .join();
            calls.score(WarmUpCalls.score(question, status.getRevision(), status.getNodeTableToken()))
                    .join();
            calls.evaluate(WarmUpCalls.evaluate(question)).join();
        }
        calls.assume(WarmUpCalls.assume(question)).join();
        calls.forget(WarmUpCalls.forget(question)).join();
    }

    /**
     * Runs in a separate JVM: makes some calls of the warm-up, prints its address, and at the end of its input prints
     * what has been loaded since.
     */
    static final class WarmServer {
        private WarmServer() {}

        public static void main(String[] arguments) throws Exception {
            Path log = Path.of(arguments[0]);
            try (TestServer server = TestServer.start()) {
                String target = "127.0.0.1:" + server.server.port();
                try (PlacementClient feeder = connect(target);
                        ClusterFeed feed = feeder.feed()) {
                    WarmUpCalls.snapshot(feed);
                    for (int first = 0; first < CONNECTIONS * CALLS; first += CALLS) {
                        warmUp(target, feed, first);
                    }
                    // The answer is also read, because that may load classes, too.
                    int before = Files.readAllBytes(log).length;
                    System.out.println(target);
                    int end = System.in.read();
                    byte[] after = Files.readAllBytes(log);
                    System.out.write(after, before, after.length - before);
                    System.out.flush();
                    if (end != -1) {
                        throw new IllegalStateException("the input must be empty");
                    }
                }
            }
        }

        private static void warmUp(String target, ClusterFeed feed, int first) {
            try (PlacementClient client = connect(target);
                    WarmUpCalls calls = new WarmUpCalls(client, feed)) {
                for (int call = first; call < first + CALLS; call++) {
                    calls.make(call);
                }
            }
        }
    }
}
