package io.evenkeel.loadtest.load;

/**
 * The calls that ended within about one second.
 *
 * @param at when the second ended, in seconds since the end of warm-up
 */
public record LoadSecond(double at, long calls, long failed, long p50Nanos, long p99Nanos, long maxNanos) {}
