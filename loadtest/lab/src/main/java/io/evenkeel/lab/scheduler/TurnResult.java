package io.evenkeel.lab.scheduler;

import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
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
 * @param peakMemory the memory at the end of the turn
 * @param violated the hard constraints violated at the end
 * @param softBeyondStock the soft constraints that end more than maxSkew above the stock scheduler's
 * @param cycles the number of cycles with answers from Evenkeel, and from the original plugin by reason
 * @param outage the outage if Evenkeel was killed; otherwise null
 * @param comparisons the comparisons with the original plugin if the scheduler has Evenkeel's; otherwise null
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
        PeakMemory peakMemory,
        List<String> violated,
        List<String> softBeyondStock,
        Map<String, Long> cycles,
        @Nullable Outage outage,
        @Nullable Comparisons comparisons,
        @Nullable List<RolloutProgress> rollouts) {
    int bound() {
        return boundAtSeconds.size();
    }

    /** The median of a figure; of an even number of turns, the mean of the middle two. */
    static double median(List<TurnResult> turns, ToDoubleFunction<TurnResult> figure) {
        double[] sorted = turns.stream().mapToDouble(figure).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** A processor time in ms per pod that was bound. */
    double millisPerPod(double seconds) {
        return 1e3 * seconds / Math.max(1, bound());
    }

    /**
     * The rate of bindings, over the whole turn: a scheduler may choose nodes long before it binds, so the rate of a
     * part would include only some of the work for its pods.
     */
    static double rate(List<Double> boundAtSeconds) {
        int last = boundAtSeconds.size() - 1;
        return last <= 0 ? 0 : last / (boundAtSeconds.get(last) - boundAtSeconds.get(0));
    }
}
