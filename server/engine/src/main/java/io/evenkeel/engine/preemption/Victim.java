package io.evenkeel.engine.preemption;

/**
 * A pod that must be removed.
 *
 * @param startedAt in seconds since 1970; 0 if unknown
 */
public record Victim(String uid, String namespace, String name, int priority, long startedAt) {}
