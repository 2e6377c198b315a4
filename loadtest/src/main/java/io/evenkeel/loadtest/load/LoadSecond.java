package io.evenkeel.loadtest.load;

/**
 * The calls that ended within one second of a run.
 *
 * @param at when the second ended, in seconds after the end of the warm-up
 */
public record LoadSecond(double at, long calls, long failed, long p50Nanos, long p99Nanos, long maxNanos) {}
