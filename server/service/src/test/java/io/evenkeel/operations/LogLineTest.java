package io.evenkeel.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class LogLineTest {
    private static LogRecord log(String logger, String message) {
        LogRecord log = new LogRecord(Level.WARNING, message);
        log.setInstant(Instant.parse("2026-01-02T03:04:05Z"));
        log.setLoggerName(logger);
        return log;
    }

    private static String line(LogRecord log) {
        String formatted = new LogLine().format(log);
        assertTrue(formatted.endsWith(System.lineSeparator()), formatted);
        return formatted.substring(
                0, formatted.length() - System.lineSeparator().length());
    }

    @Test
    void line_hasTimeInUtc_levelAndMessage() {
        assertEquals(
                "2026-01-02T03:04:05.000Z WARNING pods failed", line(log("io.evenkeel.kube.KindFeed", "pods failed")));
    }

    @Test
    void lineOfALibrary_namesItsLogger_andFillsInParameters() {
        LogRecord log = log("io.grpc.Some", "port {0}");
        log.setParameters(new Object[] {"7450"});
        assertEquals("2026-01-02T03:04:05.000Z WARNING io.grpc.Some: port 7450", line(log));
    }

    @Test
    void lineBreaks_ofTheMessageAndTheException_becomeBars() {
        LogRecord log = log("io.evenkeel.Some", "two\r\nlines");
        log.setThrown(new IllegalStateException("why\n\nreally", new RuntimeException("cause")));
        String line = line(log);
        assertEquals(1, line.lines().count(), line);
        assertTrue(
                line.startsWith("2026-01-02T03:04:05.000Z WARNING two | lines"
                        + " | java.lang.IllegalStateException: why | really | at io.evenkeel."),
                line);
        assertTrue(line.contains(" | Caused by: java.lang.RuntimeException: cause | "), line);
    }
}
