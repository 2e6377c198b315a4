package io.evenkeel.operations;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.stream.Collectors;

/**
 * Formats a log record as one line: the time in UTC, the level, the message, and the stack trace if there is one. Line
 * breaks become bars.
 *
 * <pre>
 *   2026-01-02T03:04:05.678Z WARNING kube: pods: no connection to https://10.0.0.1; retrying
 *   2026-01-02T03:04:05.678Z SEVERE call failed with an internal error | java.lang.Error: why | at a.B.c(B.java:7) | …
 * </pre>
 *
 * <p>{@code SimpleFormatter} has no UTC, and puts stack traces on separate lines.
 */
public final class LogLine extends Formatter {
    /** With milliseconds, in UTC. */
    static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    @Override
    public String format(LogRecord log) {
        StringWriter text = new StringWriter();
        String logger = log.getLoggerName();
        if (logger != null && !logger.startsWith("io.evenkeel.")) {
            text.append(logger).append(": ");
        }
        text.append(formatMessage(log)).append('\n');
        if (log.getThrown() != null) {
            log.getThrown().printStackTrace(new PrintWriter(text));
        }
        return TIME.format(log.getInstant())
                + ' '
                + log.getLevel()
                + ' '
                + text.toString()
                        .lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty())
                        .collect(Collectors.joining(" | "))
                + System.lineSeparator();
    }
}
