package io.evenkeel.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class JsonLogLineTest {
    private static LogRecord log(String message) {
        LogRecord log = new LogRecord(Level.WARNING, message);
        log.setInstant(Instant.parse("2026-01-02T03:04:05Z"));
        log.setLoggerName("io.evenkeel.Some");
        return log;
    }

    private static JsonNode parsed(LogRecord log) throws JsonProcessingException {
        String line = new JsonLogLine().format(log);
        assertTrue(line.endsWith(System.lineSeparator()), line);
        assertEquals(1, line.lines().count(), line);
        assertTrue(line.strip().chars().allMatch(each -> each >= ' ' && each <= 0x7F), line);
        return new ObjectMapper().readTree(line);
    }

    @Test
    void line_hasTimeInUtc_level_logger_threadAndMessage() {
        assertEquals(
                "{\"timestamp\":\"2026-01-02T03:04:05.000Z\",\"level\":\"WARNING\",\"logger\":\"io.evenkeel.Some\","
                        + "\"thread\":\"" + Thread.currentThread().getName() + "\",\"message\":\"pods failed\"}"
                        + System.lineSeparator(),
                new JsonLogLine().format(log("pods failed")));
    }

    @Test
    void message_hasItsParameters_andAnyCharacters() throws JsonProcessingException {
        LogRecord log = log("port {0}");
        log.setParameters(new Object[] {"7450"});
        assertEquals("port 7450", parsed(log).get("message").textValue());
        StringBuilder all = new StringBuilder();
        for (int each = 0; each < Character.MIN_SURROGATE; each++) {
            all.append((char) each);
        }
        all.append("\uFFFF").append(Character.toChars(0x1F600)).append(Character.toChars(Character.MAX_CODE_POINT));
        assertEquals(all.toString(), parsed(log(all.toString())).get("message").textValue());
    }

    @Test
    void halfOfASurrogatePair_isReplaced_whereverItIs() throws JsonProcessingException {
        for (String half : List.of("\uD83D", "\uDE00")) {
            for (String place : List.of("%s", "a%s", "%sb", "%1$s%1$s")) {
                assertEquals(
                        place.formatted("\uFFFD"),
                        parsed(log(place.formatted(half))).get("message").textValue());
            }
        }
    }

    @Test
    void exception_isAField_withItsCauses() throws JsonProcessingException {
        LogRecord log = log("it failed");
        assertFalse(parsed(log).has("exception"));
        log.setThrown(new IllegalStateException("why\n\nreally", new RuntimeException("\"cause\"")));
        String trace = parsed(log).get("exception").textValue();
        assertTrue(
                trace.startsWith("java.lang.IllegalStateException: why\n\nreally" + System.lineSeparator() + "\tat "),
                trace);
        assertTrue(trace.contains("Caused by: java.lang.RuntimeException: \"cause\""), trace);
    }

    @Test
    void recordWithoutLoggerAndMessage_isALineToo() throws JsonProcessingException {
        LogRecord log = new LogRecord(Level.INFO, null);
        JsonNode line = parsed(log);
        assertFalse(line.has("logger"));
        assertFalse(line.has("message"));
        assertEquals("INFO", line.get("level").textValue());
    }
}
