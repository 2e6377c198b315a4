package io.evenkeel.lab.peer;

import java.util.List;
import java.util.Map;

/**
 * One side's answer to a question, and how long its calls took.
 *
 * @param codes for each candidate: Success, Unschedulable or UnschedulableAndUnresolvable
 * @param scores for each candidate that passed: 0 to 100; empty if there is nothing to score
 * @param placed the nodes of the copies, in their order, empty for a copy without one; no nodes if the pod was only
 *     judged
 * @param p50Nanos the median time of a call, or of placing one copy
 * @param p99Nanos the 99th percentile of that time
 */
public record PeerAnswer(
        Map<String, String> codes, Map<String, Integer> scores, List<String> placed, long p50Nanos, long p99Nanos) {
    /** An answer about a pod that was only judged. */
    PeerAnswer(Map<String, String> codes, Map<String, Integer> scores, long p50Nanos, long p99Nanos) {
        this(codes, scores, List.of(), p50Nanos, p99Nanos);
    }
}
