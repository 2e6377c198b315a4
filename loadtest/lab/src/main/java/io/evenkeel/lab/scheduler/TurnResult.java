package io.evenkeel.lab.scheduler;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a turn, as written to JSON.
 *
 * @param toBind the number of pods to bind
 * @param boundAtSeconds when each binding was seen, in seconds since the first
 * @param unbound the pods that were not bound, with their status in the API server
 * @param podsPerSecond the rate from the first binding to the last
 * @param pluginMillis the mean time of the plugins per cycle in the second half, by {@link PluginTime}
 * @param pluginP50Millis the median of the same
 * @param attemptP50Millis the median time of attempts that found a node, in the second half
 * @param processorSeconds processor times from the first binding to the last
 * @param violated the hard constraints violated at the end
 * @param softBeyondStock the soft constraints that end more than maxSkew above the stock scheduler's
 * @param answers the number of answers from Evenkeel, and from the original plugin by reason
 * @param outage the outage if Evenkeel was killed; otherwise null
 * @param shadow the comparison if Evenkeel ran in shadow; otherwise null
 * @param rollouts the final progress of the Deployments if any rolled; otherwise null
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
     * The rate of bindings, over the whole turn: a scheduler may choose nodes long before it binds, so the rate of a
     * part would include only some of the work for its pods.
     */
    static double rate(List<Double> boundAtSeconds) {
        int last = boundAtSeconds.size() - 1;
        return last <= 0 ? 0 : last / (boundAtSeconds.get(last) - boundAtSeconds.get(0));
    }

    /** The rate of bindings in the second half, long after all pods were created. */
    double secondHalfPodsPerSecond() {
        return rate(boundAtSeconds.subList(boundAtSeconds.size() / 2, boundAtSeconds.size()));
    }
}
