package io.evenkeel.lab.peer;

import java.util.Map;

/**
 * One side's answer to a question, and how long its calls took.
 *
 * @param codes for each candidate: Success, Unschedulable or UnschedulableAndUnresolvable
 * @param scores for each candidate that passed: 0 to 100; empty if there is nothing to score
 * @param p50Nanos the median time of a call
 * @param p99Nanos the 99th percentile of the time of a call
 */
record PeerAnswer(Map<String, String> codes, Map<String, Integer> scores, long p50Nanos, long p99Nanos) {}
