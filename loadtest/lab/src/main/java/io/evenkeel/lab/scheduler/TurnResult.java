package io.evenkeel.lab.scheduler;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a turn, as written to JSON.
 *
 * @param toBind how many pods were to be bound
 * @param boundAtSeconds when each was heard to be bound, since the first
 * @param unbound the pods that were not bound, and what the API server says of them
 * @param podsPerSecond the rate from the first binding to the last
 * @param pluginMillis the time of the plugins a cycle, the mean of the second half, as {@link PluginTime} has it
 * @param pluginP50Millis the p50 of the same
 * @param attemptP50Millis of attempts that found a node, in the second half
 * @param processorSeconds from the first binding to the last
 * @param violated the hard constraints that do not hold in the end
 * @param softBeyondStock the soft ones that end more than maxSkew above those of the stock scheduler
 * @param answers how many answers of Evenkeel's plugin were Evenkeel's, and the original's by the reason
 * @param outage where Evenkeel was killed in it; else null
 * @param shadow where Evenkeel was compared; else null
 * @param rollouts where Deployments rolled: how far each was in the end; else null
 */
record TurnResult(
        String shape,
        String side,
        int toBind,
        List<Double> boundAtSeconds,
        List<String> unbound,
        double podsPerSecond,
        double pluginMillis,
        double pluginP50Millis,
        double attemptP50Millis,
        double attemptP99Millis,
        ProcessorTimes processorSeconds,
        List<String> violated,
        List<String> softBeyondStock,
        Map<String, Long> answers,
        @Nullable Outage outage,
        @Nullable ShadowOutcomes shadow,
        @Nullable List<Rollout> rollouts) {
    int bound() {
        return boundAtSeconds.size();
    }

    /**
     * The rate of bindings. All of them count: a scheduler may choose nodes long before it binds, and a part of the
     * turn would show work whose other half is outside of it.
     */
    static double rate(List<Double> boundAtSeconds) {
        int last = boundAtSeconds.size() - 1;
        return last <= 0 ? 0 : last / (boundAtSeconds.get(last) - boundAtSeconds.get(0));
    }

    /** The rate of bindings in the second half, when all pods have long been created. */
    double secondHalfPodsPerSecond() {
        return rate(boundAtSeconds.subList(boundAtSeconds.size() / 2, boundAtSeconds.size()));
    }
}
