package io.evenkeel.placement.query;

import io.evenkeel.objects.PodRanges;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Remembers pods that callers have asked about, by their key ({@link io.evenkeel.objects.PodRanges}), so that a replica
 * of such a pod need not be parsed. A hash finds the set of slots for a key; a hit is only a key that is equal byte for
 * byte.
 *
 * <pre>
 *   slots   │ a0 a1 a2 a3 │ b0 b1 b2 b3 │ …     a set of four, for each value of the hash's lowest bits
 * </pre>
 *
 * <p>In a full set, slots are replaced in turn. Where all pods together take too many bytes, a hand moves over the
 * slots and empties each, until the bytes suffice. A pod that was removed is parsed again when it is asked about. Safe
 * for use by several threads; a look-up takes no lock and allocates nothing.
 */
public final class PodCache {
    private static final int WAYS = 4;

    /** A pod with a longer key is parsed each time, so that a few large pods do not fill the cache. */
    private static final int LONGEST_KEY = 8 << 10;

    /** Bytes of a slot, the reference to it, an array's header and a {@link CachedPod}, without their contents. */
    private static final long OWN_BYTES = 128;

    /**
     * Bytes for which there is one slot: less than a pod with a constraint takes. So slots are mostly filled when the
     * bytes run out, and the hand soon finds a filled slot.
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

    /** Changed under this object's lock; read without it. */
    private final AtomicReferenceArray<@Nullable Slot> slots;

    private final int setMask;
    private final long mostBytes;

    /** The bytes that the slots take. Guarded by this object's lock, as are the fields below. */
    private long bytes;

    private int turn;

    /** The slot that is emptied next where too many bytes are taken. */
    private int hand;

    /**
     * @param most roughly how many pods are kept
     * @param mostBytes roughly how many bytes they may take
     */
    public PodCache(int most, long mostBytes) {
        int places = (int) Math.min(most, mostBytes / FEWEST_BYTES);
        int sets = Integer.highestOneBit(Math.max(1, places / WAYS));
        slots = new AtomicReferenceArray<>(sets * WAYS);
        setMask = sets - 1;
        this.mostBytes = mostBytes;
    }

    /** Whether a pod with this key can be kept. */
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

    /**
     * Keeps a pod, unless it alone takes more bytes than the whole cache may. {@code key} must not be changed
     * afterwards.
     */
    void put(long hash, byte[] key, CachedPod pod) {
        Slot fresh = new Slot(hash, key, pod);
        if (fresh.bytes <= mostBytes) {
            synchronized (this) {
                while (bytes + fresh.bytes > mostBytes) {
                    replace(hand, null);
                    hand = (hand + 1) % slots.length();
                }
                replace(placeFor(fresh), fresh);
            }
        }
    }

    /** The slot for a pod: the one with an equal key, or else a free one, or else the next in turn. */
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
