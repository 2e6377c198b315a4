package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests connections whose calls the server has ended, with a real server. */
@Timeout(60)
final class EndedCallsTest {
    /** More calls than a socket can buffer the ends of, and fewer than a connection can have open. */
    private static final int MANY_CALLS = 9_000;

    @TempDir
    private Path directory = Path.of("");

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private Path path() {
        return directory.resolve("e.sock");
    }

    private EvenkeelServer start() throws IOException {
        return EvenkeelServer.start(ServerOptions.onLoopback(0)
                .withMeters(meters)
                .withStop(new StopTimes(Duration.ZERO, Duration.ZERO))
                .withListeners(new Listener.Unix(path(), PosixFilePermissions.fromString("rw-------"))));
    }

    private double stalled() {
        return meters.get("evenkeel.server.refusals")
                .tag("why", "stalled")
                .counter()
                .count();
    }

    /** Begins calls that the server ends at once. Returns the stream of the last one. */
    private static int begin(RawCalls calls, boolean whole) throws IOException {
        int last = -1;
        for (int i = 0; i < MANY_CALLS; i++) {
            // With different names, because otherwise the error messages would be compressed to nothing.
            last = calls.open("nothing.with.quite.a.long.name.that.is.told.with.the.status/" + i, whole);
        }
        return last;
    }

    /** The ends and resets of its calls stay unsent, so the server would keep the calls. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {false, true})
    void connectionThatNeverReads_isClosed_afterItsCallsHaveEnded(boolean whole) throws Exception {
        try (EvenkeelServer server = start();
                RawCalls silent = new RawCalls(path())) {
            assertThrows(IOException.class, () -> {
                begin(silent, whole);
                silent.sendUntilClosed();
            });
            assertEquals(1, stalled());
            assertEquals(1, server.listeners().size());
        }
    }

    /** They may receive large answers, and the options say how long they can leave these unread. */
    @Test
    @Tag("long")
    void connectionOfACallerWhoWasLetIn_mayReadLater_thanAStrangers() throws Exception {
        try (EvenkeelServer server = start();
                RawCalls late = new RawCalls(path())) {
            late.open("evenkeel.v1.Placement/EvaluateStream", false);
            int last = begin(late, false);
            // An unauthenticated connection would be closed after five seconds.
            Thread.sleep(8_000);
            late.awaitEnd(last);
            assertEquals(0, stalled());
            assertEquals(1, server.listeners().size());
        }
    }
}
