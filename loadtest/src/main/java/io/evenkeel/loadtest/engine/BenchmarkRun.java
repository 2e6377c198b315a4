package io.evenkeel.loadtest.engine;

import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmark of each figure in a separate JVM with this JVM's options. Measurements of allocation and of two
 * threads run in this JVM.
 */
final class BenchmarkRun {
    private static final String ALLOCATION = "gc.alloc.rate.norm";

    private static final int FEW = 200;

    private final int seconds;

    /**
     * @param seconds how long to measure, after a warm-up of two thirds of that; first sights are measured with
     *     {@value #FEW} calls instead, after equally many warm-up calls
     */
    BenchmarkRun(int seconds) {
        this.seconds = seconds;
    }

    Measurement of(Figure figure) throws RunnerException {
        if (figure.kind() == Figure.Kind.GARBAGE) {
            return GarbageRun.of(figure);
        }
        if (figure.kind() == Figure.Kind.SCALING) {
            return ScalingRun.of(figure, seconds);
        }
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(Pattern.quote(figure.benchmark().getName()) + "\\.")
                .mode(figure.kind() == Figure.Kind.FEW_TIMES ? Mode.SingleShotTime : Mode.SampleTime)
                .forks(1)
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        if (figure.kind() == Figure.Kind.FEW_TIMES) {
            options.warmupIterations(FEW).measurementIterations(FEW);
        } else {
            options.warmupIterations(2)
                    .warmupTime(TimeValue.milliseconds(seconds * 1000L / 3))
                    .measurementIterations(3)
                    .measurementTime(TimeValue.milliseconds(seconds * 1000L / 3));
        }
        figure.parameters().forEach(options::param);
        RunResult result = new Runner(options.build()).runSingle();
        Result<?> times = result.getPrimaryResult();
        Result<?> allocated = result.getSecondaryResults().get(ALLOCATION);
        return new Measurement(
                figure,
                times.getStatistics().getPercentile(50),
                times.getStatistics().getPercentile(99),
                allocated == null ? Double.NaN : allocated.getScore(),
                Double.NaN);
    }
}
