package io.evenkeel.engine.store;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.function.IntConsumer;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Stores when the assumption about each assumed pod expires. The pods are spread over many small maps, so that growing
 * one, or searching one for expired pods, takes little time.
 */
public final class AssumedPods {
    /** The time of assumptions that never expire. */
    public static final long FOR_EVER = Long.MAX_VALUE;

    private static final int PART_BITS = 8;

    /** How many maps there are. */
    public static final int PARTS = 1 << PART_BITS;

    private static final long ABSENT = Long.MIN_VALUE;

    /** Maps by scattered pod id, whose upper bits choose the map. An entry is null if its map would be empty. */
    private final @Nullable Long2LongHashMap[] parts = new Long2LongHashMap[PARTS];

    private int size;

    AssumedPods() {}

    /** A copy. */
    AssumedPods(AssumedPods other) {
        for (int i = 0; i < PARTS; i++) {
            Long2LongHashMap part = other.parts[i];
            parts[i] = part == null ? null : new Long2LongHashMap(part);
        }
        size = other.size;
    }

    int size() {
        return size;
    }

    private static int partOf(long key) {
        return (int) (key >>> Long.SIZE - PART_BITS);
    }

    /** @param until the time on the engine's clock, or {@link #FOR_EVER} */
    void put(int pod, long until) {
        long key = KeyedHash.scatter((long) pod);
        Long2LongHashMap part = parts[partOf(key)];
        if (part == null) {
            part = new Long2LongHashMap(ABSENT);
            parts[partOf(key)] = part;
        }
        size += part.put(key, until) == ABSENT ? 1 : 0;
    }

    void remove(int pod) {
        long key = KeyedHash.scatter((long) pod);
        Long2LongHashMap part = parts[partOf(key)];
        if (part != null && part.remove(key) != ABSENT) {
            size--;
            if (part.isEmpty()) {
                parts[partOf(key)] = null;
            }
        }
    }

    /** Whether the pod is assumed and its assumption has expired. */
    boolean isDue(int pod, long now) {
        long key = KeyedHash.scatter((long) pod);
        Long2LongHashMap part = parts[partOf(key)];
        long until = part == null ? ABSENT : part.get(key);
        return until != ABSENT && isDue(until, now);
    }

    private static boolean isDue(long until, long now) {
        return until != FOR_EVER && until - now <= 0;
    }

    /** Calls {@code visitor} with the expired pods of a part. It must not change anything here. */
    void forEachDue(int part, long now, IntConsumer visitor) {
        Long2LongHashMap in = parts[part];
        if (in != null) {
            in.forEachLong((key, until) -> {
                if (isDue(until, now)) {
                    visitor.accept((int) KeyedHash.gather(key));
                }
            });
        }
    }
}
