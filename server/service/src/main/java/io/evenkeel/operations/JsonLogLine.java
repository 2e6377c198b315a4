package io.evenkeel.operations;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Formats a log record as one line with a JSON object, in ASCII, so that it does not depend on the encoding of standard
 * error. Fields without a value are absent.
 *
 * <pre>
 *   {"timestamp":"2026-01-02T03:04:05.678Z","level":"SEVERE","logger":"io.evenkeel.service.OpenCalls",
 *   "thread":"evenkeel-calls","message":"failed to check an open call","exception":"java.lang.Error: why\n\tat …"}
 * </pre>
 */
final class JsonLogLine extends Formatter {
    private static final JsonFactory JSON =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    /** Some parsers reject these, even if they are escaped. */
    private static final Pattern UNPAIRED_SURROGATES = Pattern.compile("[\\x{D800}-\\x{DFFF}]");

    @Override
    public String format(LogRecord log) {
        StringWriter line = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            write(json, "timestamp", LogLine.TIME.format(log.getInstant()));
            write(json, "level", log.getLevel().getName());
            write(json, "logger", log.getLoggerName());
            // Handlers format a record in the thread that logs it.
            write(json, "thread", Thread.currentThread().getName());
            write(json, "message", formatMessage(log));
            write(json, "exception", trace(log.getThrown()));
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string takes all characters", e);
        }
        return line.append(System.lineSeparator()).toString();
    }

    private static @Nullable String trace(@Nullable Throwable thrown) {
        if (thrown == null) {
            return null;
        }
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    private static void write(JsonGenerator json, String field, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(field, UNPAIRED_SURROGATES.matcher(value).replaceAll("\uFFFD"));
        }
    }
}
