package io.evenkeel.placement;

import io.evenkeel.feed.PodRanges;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Pods that were asked about, by the key of their bytes: so that a replica of one need not be parsed. A hash finds the set that a key would be in; only a key that is equal byte
 * for byte is a hit.
 *
 * <pre>
 *   slots   │ a0 a1 a2 a3 │ b0 b1 b2 b3 │ …     a set of four, for each value of the hash's lowest bits
 * </pre>
 *
 * <p>A full set makes room in turn. What is lost, to that or to a race, is parsed again. Safe for use by several threads; looking up takes no lock and allocates nothing.
 */
final class KnownPods {
    private static final int WAYS = 4;

    /** A pod with more to it is parsed each time, so that nobody fills the memory with a few. */
    private static final int LONGEST_KEY = 8 << 10;

    private static final class Slot {
        final long hash;
        final byte[] key;
        final KnownPod pod;

        Slot(long hash, byte[] key, KnownPod pod) {
            this.hash = hash;
            this.key = key;
            this.pod = pod;
        }
    }

    private final AtomicReferenceArray<@Nullable Slot> slots;
    private final int setMask;
    private int turn;

    /** @param most about how many are kept */
    KnownPods(int most) {
        int sets = Integer.highestOneBit(Math.max(1, most / WAYS));
        slots = new AtomicReferenceArray<>(sets * WAYS);
        setMask = sets - 1;
    }

    /** Whether a pod may be put. */
    static boolean takes(PodRanges ranges) {
        return ranges.size() <= LONGEST_KEY;
    }

    @Nullable
    KnownPod find(long hash, PodRanges ranges) {
        int first = firstOf(hash);
        for (int i = first; i < first + WAYS; i++) {
            Slot slot = slots.get(i);
            if (slot != null && slot.hash == hash && ranges.isKey(slot.key)) {
                return slot.pod;
            }
        }
        return null;
    }

    /** Keeps a pod; {@code key} is not to be changed any more. */
    void put(long hash, byte[] key, KnownPod pod) {
        int first = firstOf(hash);
        Slot fresh = new Slot(hash, key, pod);
        for (int i = first; i < first + WAYS; i++) {
            if (slots.compareAndSet(i, null, fresh)) {
                return;
            }
        }
        // A torn count would do as well: any way is as good as another.
        slots.set(first + (turn++ & WAYS - 1), fresh);
    }

    private int firstOf(long hash) {
        return ((int) hash & setMask) * WAYS;
    }
}
