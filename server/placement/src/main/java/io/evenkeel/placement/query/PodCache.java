package io.evenkeel.placement.query;

import io.evenkeel.objects.PodRanges;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Caches queried pods by their key ({@link io.evenkeel.objects.PodRanges}), so that replicas of these pods need not be
 * parsed. A hash selects the set of slots for a key; only a key that is equal byte for byte is a hit.
 *
 * <pre>
 *   slots   │ a0 a1 a2 a3 │ b0 b1 b2 b3 │ …     a set of four for each value of the hash's lowest bits
 * </pre>
 *
 * <p>In a full set, slots are replaced in turn. If the pods take too many bytes in total, a hand moves over the slots
 * and empties each until there is enough room. An evicted pod is parsed again when it is next queried. Thread-safe; a
 * lookup takes no lock and does not allocate.
 */
public final class PodCache {
    private static final int WAYS = 4;

    /** Pods with longer keys are not cached, so that a few large pods cannot fill the cache. */
    private static final int LONGEST_KEY = 8 << 10;

    /** The size of a slot, the reference to it, an array header and a {@link CachedPod}, without their contents. */
    private static final long OWN_BYTES = 128;

    /**
     * The cache has one slot per this many bytes, which is less than the size of a pod with a constraint. So most slots
     * are filled when the bytes run out, and the hand finds a filled slot quickly.
     */
    private static final long FEWEST_BYTES = 512;

    private static final class Slot {
        final long hash;
        final byte[] key;
        final CachedPod pod;
        final long bytes;

        Slot(long hash, byte[] key, CachedPod pod) {
            this.hash = hash;
            this.key = key;
            this.pod = pod;
            bytes = OWN_BYTES + key.length + pod.bytes();
        }
    }

    /** Modified under this object's lock; read without it. */
    private final AtomicReferenceArray<@Nullable Slot> slots;

    private final int setMask;
    private final long maxBytes;

    /** The size of all slots in bytes. Guarded by this object's lock, as are the fields below. */
    private long bytes;

    private int turn;

    /** The next slot to empty when there are too many bytes. */
    private int hand;

    /**
     * @param most the approximate maximum number of pods
     * @param maxBytes their approximate maximum size in bytes
     */
    public PodCache(int most, long maxBytes) {
        int places = (int) Math.min(most, maxBytes / FEWEST_BYTES);
        int sets = Integer.highestOneBit(Math.max(1, places / WAYS));
        slots = new AtomicReferenceArray<>(sets * WAYS);
        setMask = sets - 1;
        this.maxBytes = maxBytes;
    }

    /** True if a pod with this key can be cached. */
    static boolean takes(PodRanges ranges) {
        return ranges.size() <= LONGEST_KEY;
    }

    @Nullable
    CachedPod find(long hash, PodRanges ranges) {
        int first = firstOf(hash);
        for (int i = first; i < first + WAYS; i++) {
            Slot slot = slots.get(i);
            if (slot != null && slot.hash == hash && ranges.isKey(slot.key)) {
                return slot.pod;
            }
        }
        return null;
    }

    /** Caches a pod, unless it alone exceeds the size of the cache. {@code key} must not be modified afterwards. */
    void put(long hash, byte[] key, CachedPod pod) {
        Slot fresh = new Slot(hash, key, pod);
        if (fresh.bytes <= maxBytes) {
            synchronized (this) {
                while (bytes + fresh.bytes > maxBytes) {
                    replace(hand, null);
                    hand = (hand + 1) % slots.length();
                }
                replace(placeFor(fresh), fresh);
            }
        }
    }

    /** The slot for a pod: the one with an equal key, otherwise a free one, otherwise the next in turn. */
    private int placeFor(Slot fresh) {
        int first = firstOf(fresh.hash);
        int free = -1;
        for (int i = first; i < first + WAYS; i++) {
            Slot slot = slots.get(i);
            if (slot == null) {
                free = i;
            } else if (slot.hash == fresh.hash && Arrays.equals(slot.key, fresh.key)) {
                return i;
            }
        }
        return free >= 0 ? free : first + (turn++ & WAYS - 1);
    }

    private void replace(int place, @Nullable Slot by) {
        Slot before = slots.getAndSet(place, by);
        bytes += (by == null ? 0 : by.bytes) - (before == null ? 0 : before.bytes);
    }

    private int firstOf(long hash) {
        return ((int) hash & setMask) * WAYS;
    }
}
