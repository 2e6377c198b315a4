package io.evenkeel.loadtest.scheduler;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a turn, as written to JSON.
 *
 * @param toBind how many pods were to be bound
 * @param boundAtSeconds when each was heard to be bound, since the first
 * @param podsPerSecond the rate without the first half, in which code and caches get warm
 * @param pluginMillis the time of the plugins a cycle, in the second half, as {@link PluginTime} has it
 * @param attemptP50Millis of attempts that found a node, in the second half
 * @param processorSeconds from when half of the pods were bound until the last was
 * @param violated the hard constraints that do not hold in the end
 * @param softBeyondStock the soft ones that end more than maxSkew above those of the stock scheduler
 * @param answers how many answers of Evenkeel's plugin were Evenkeel's, and the original's by the reason
 * @param outage where Evenkeel was killed in it; else null
 * @param shadow where Evenkeel was compared; else null
 */
record TurnResult(
        String shape,
        String side,
        int toBind,
        List<Double> boundAtSeconds,
        double podsPerSecond,
        double pluginMillis,
        double attemptP50Millis,
        double attemptP99Millis,
        ProcessorTimes processorSeconds,
        List<String> violated,
        List<String> softBeyondStock,
        Map<String, Long> answers,
        @Nullable Outage outage,
        @Nullable ShadowOutcomes shadow) {
    private static final int LEFT_OUT = 2;

    int bound() {
        return boundAtSeconds.size();
    }

    /** How many pods were bound while processor time was counted. */
    int boundInSecondHalf() {
        return Math.max(0, bound() - toBind / LEFT_OUT);
    }

    /** The rate of bindings, without the first half. */
    static double rate(List<Double> boundAtSeconds) {
        int from = boundAtSeconds.size() / LEFT_OUT;
        int last = boundAtSeconds.size() - 1;
        return last <= from ? 0 : (last - from) / (boundAtSeconds.get(last) - boundAtSeconds.get(from));
    }
}
