package io.evenkeel.service;

import io.evenkeel.placement.call.Limits;
import java.time.Duration;

/**
 * The limits on connections.
 *
 * @param bytesInFlight bytes of requests and responses of queries that are held at the same time, over all connections;
 *     calls that change the state can hold the same amount again
 * @param stalledAfter how long a caller can leave a request half sent or answers unread before its call is aborted; one
 *     second more for each 128 KiB
 * @param connections simultaneous connections with admitted calls; calls on further ones are rejected
 * @param newcomers simultaneous connections without such calls; if there is one more, the oldest connection of the
 *     address (or IPv6 /64 network) with the most of them is closed
 * @param calls open queries over all connections, and the same number of calls that change the state; further ones are
 *     rejected, except the first 16 on each connection
 * @param callsOnConnection open calls on one connection; clients queue further calls
 * @param idle how long a connection without calls stays open
 * @param age after how long clients are asked to reconnect, so that they spread over new replicas; calls in progress on
 *     the old connection continue. Zero means never, less than a second counts as one second, and the time varies by a
 *     tenth
 */
public record TransportLimits(
        long bytesInFlight,
        Duration stalledAfter,
        int connections,
        int newcomers,
        int calls,
        int callsOnConnection,
        Duration idle,
        Duration age) {
    private static final long MIN_BYTES = 64L << 20;
    private static final int PART_OF_HEAP = 8;
    private static final int MIN_CALLS = 20_000;
    private static final int MAX_CALLS = 1_000_000;
    private static final int HEAP_OF_A_CALL = 32 << 10;

    /**
     * An eighth of the heap, at least 64 MiB, for messages in progress; 30 seconds; 1,000 connections, and as many
     * newcomers; 20,000 calls, or one for each 32 KiB of the heap if that is more, up to 1,000,000; 10,000 calls on
     * each connection; 15 minutes; no age.
     */
    public static final TransportLimits DEFAULT = new TransportLimits(
            Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP),
            Duration.ofSeconds(30),
            1_000,
            1_000,
            (int) Math.max(MIN_CALLS, Math.min(MAX_CALLS, Runtime.getRuntime().maxMemory() / HEAP_OF_A_CALL)),
            10_000,
            Duration.ofMinutes(15),
            Duration.ZERO);

    public TransportLimits {
        atLeastOne("bytesInFlight", bytesInFlight);
        atLeastOne("connections", connections);
        atLeastOne("newcomers", newcomers);
        atLeastOne("calls", calls);
        atLeastOne("callsOnConnection", callsOnConnection);
        moreThanZero("stalledAfter", stalledAfter);
        moreThanZero("idle", idle);
        if (!age.isZero()) {
            moreThanZero("age", age);
        }
    }

    public TransportLimits withBytesInFlight(long most) {
        return new TransportLimits(most, stalledAfter, connections, newcomers, calls, callsOnConnection, idle, age);
    }

    public TransportLimits withStalledAfter(Duration longest) {
        return new TransportLimits(bytesInFlight, longest, connections, newcomers, calls, callsOnConnection, idle, age);
    }

    public TransportLimits withConnections(int most) {
        return new TransportLimits(bytesInFlight, stalledAfter, most, newcomers, calls, callsOnConnection, idle, age);
    }

    public TransportLimits withNewcomers(int most) {
        return new TransportLimits(bytesInFlight, stalledAfter, connections, most, calls, callsOnConnection, idle, age);
    }

    public TransportLimits withCalls(int most) {
        return new TransportLimits(
                bytesInFlight, stalledAfter, connections, newcomers, most, callsOnConnection, idle, age);
    }

    public TransportLimits withAge(Duration longest) {
        return new TransportLimits(
                bytesInFlight, stalledAfter, connections, newcomers, calls, callsOnConnection, idle, longest);
    }

    private static void atLeastOne(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, was " + value);
        }
    }

    private static void moreThanZero(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be more than 0, was " + value);
        }
        if (value.compareTo(Limits.LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be at most " + Limits.LONGEST + ", was " + value);
        }
    }
}
