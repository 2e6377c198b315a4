package io.evenkeel.loadtest.peer;

import java.util.Map;

/**
 * What one side answered to a question, and how long that took.
 *
 * @param codes by candidate: Success, Unschedulable or UnschedulableAndUnresolvable
 * @param scores 0 to 100, by candidate that passed; empty where there is nothing to score
 * @param p50Nanos of a call
 * @param p99Nanos of a call
 */
record PeerAnswer(Map<String, String> codes, Map<String, Integer> scores, long p50Nanos, long p99Nanos) {}
