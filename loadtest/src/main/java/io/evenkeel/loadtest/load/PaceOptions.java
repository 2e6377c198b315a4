package io.evenkeel.loadtest.load;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the rate and the duration of the load. */
final class PaceOptions {
    private static final double MOST_SECONDS = 86_400;
    private static final double MOST_RATE = 10_000_000;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "Open loop: calls per second, made on schedule. The latency of a call counts from when it was due.")
    private @Nullable Double rate;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "Closed loop: calls in flight at the same time (1 if --rate is not given).")
    private @Nullable Integer concurrency;

    @Option(names = "--stream", description = "Use one EvaluateStream instead of unary calls.")
    private boolean stream;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "How long to make calls before the measurement; failures count (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description = "How long to measure (default: ${DEFAULT-VALUE}).")
    private double duration;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description =
                    "How long a call may take (default: ${DEFAULT-VALUE}). On a stream, a later answer counts as a failure.")
    private double timeout;

    @Option(
            names = "--churn",
            paramLabel = "N",
            defaultValue = "0",
            description = "Pod events per second to send through Sync during the run, for pods like those asked about"
                    + " (default: ${DEFAULT-VALUE}). The pods are removed afterwards.")
    private double churn;

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if an option is wrong; names the option
     */
    void check() {
        if (rate != null && concurrency != null) {
            throw new IllegalArgumentException(
                    "--rate and --concurrency are mutually exclusive: one is an open loop, the other"
                            + " a closed one");
        }
        if (rate != null) {
            requireWithin("--rate", rate, 0.001, MOST_RATE);
        }
        if (concurrency != null) {
            requireWithin("--concurrency", concurrency, 1, OpenLoop.MOST_UNDER_WAY);
        }
        requireWithin("--warmup", warmUp, 0, MOST_SECONDS);
        requireWithin("--duration", duration, 0.1, MOST_SECONDS);
        requireWithin("--timeout", timeout, 0.001, MOST_SECONDS);
        requireWithin("--churn", churn, 0, MOST_RATE);
    }

    private static void requireWithin(String option, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    option + " must be from " + words(least) + " to " + words(most) + ", was " + words(value));
        }
    }

    private static String words(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    boolean isStream() {
        return stream;
    }

    boolean isOpen() {
        return rate != null;
    }

    /** Pod events per second; 0 for none. */
    double churn() {
        return churn;
    }

    Duration warmUp() {
        return ofSeconds(warmUp);
    }

    Duration duration() {
        return ofSeconds(duration);
    }

    Duration timeout() {
        return ofSeconds(timeout);
    }

    /** The loop that the options describe. */
    Loop loop(Clock clock, Caller caller, Recording recording) {
        return rate != null
                ? new OpenLoop(rate, clock, caller, recording)
                : new ClosedLoop(concurrency == null ? 1 : concurrency, clock, caller, recording);
    }

    /** Adds the options to the settings shown in a report. */
    void describe(Map<String, Object> settings) {
        settings.put("way", stream ? "stream" : "unary");
        if (rate != null) {
            settings.put("rate", rate);
        } else {
            settings.put("concurrency", concurrency == null ? 1 : concurrency);
        }
        settings.put("warmUpSeconds", warmUp);
        settings.put("durationSeconds", duration);
        settings.put("timeoutSeconds", timeout);
        settings.put("churn", churn);
    }

    private static Duration ofSeconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }
}
