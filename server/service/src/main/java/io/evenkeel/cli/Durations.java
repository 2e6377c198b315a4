package io.evenkeel.cli;

import io.evenkeel.placement.call.Limits;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations of the command line: {@code 500ms}, {@code 30s}, {@code 10m}, {@code 2h} or {@code 0}. */
public final class Durations implements ITypeConverter<Duration> {
    private static final Pattern FORMAT = Pattern.compile("(\\d{1,9})(ms|s|m|h)|0");

    /** Called by picocli. */
    public Durations() {}

    @Override
    public Duration convert(String text) {
        Matcher parts = FORMAT.matcher(text);
        if (!parts.matches()) {
            throw new TypeConversionException(
                    "must be 0 or a number with a unit, such as 500ms, 30s, 10m or 2h, was '" + text + "'");
        }
        if (parts.group(1) == null) {
            return Duration.ZERO;
        }
        long number = Long.parseLong(parts.group(1));
        Duration duration = switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
        if (duration.compareTo(Limits.LONGEST) > 0) {
            throw new TypeConversionException("must be at most " + Limits.LONGEST.toHours() + "h, was '" + text + "'");
        }
        return duration;
    }
}
