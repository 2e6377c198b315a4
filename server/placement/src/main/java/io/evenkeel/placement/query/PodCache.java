package io.evenkeel.placement.query;

import io.evenkeel.objects.PodRanges;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Pods that were asked about, by the key of their bytes: so that a replica of one need not be parsed. A hash finds the
 * set that a key would be in; only a key that is equal byte for byte is a hit.
 *
 * <pre>
 *   slots   │ a0 a1 a2 a3 │ b0 b1 b2 b3 │ …     a set of four, for each value of the hash's lowest bits
 * </pre>
 *
 * <p>A full set makes room in turn. Where all take more than their bytes, a hand goes round the slots and takes out
 * what it comes to. What is lost is parsed again. Safe for use by several threads; looking up takes no lock and
 * allocates nothing.
 */
public final class PodCache {
    private static final int WAYS = 4;

    /** A pod with more to it is parsed each time, so that nobody fills the memory with a few. */
    private static final int LONGEST_KEY = 8 << 10;

    /** A slot, its place, an array's header and a {@link CachedPod}, besides what these hold. */
    private static final long OWN_BYTES = 128;

    /**
     * Less than a pod with a constraint takes: so that few slots are empty where bytes are short, and the hand finds
     * what it looks for.
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

    /** Changed under this object's lock. */
    private final AtomicReferenceArray<@Nullable Slot> slots;

    private final int setMask;
    private final long mostBytes;

    /** What the slots take; guarded by the lock, as is what follows. */
    private long bytes;

    private int turn;

    /** The slot that is looked at next where bytes are short. */
    private int hand;

    /**
     * @param most about how many are kept
     * @param mostBytes about how many bytes they may take
     */
    public PodCache(int most, long mostBytes) {
        int places = (int) Math.min(most, mostBytes / FEWEST_BYTES);
        int sets = Integer.highestOneBit(Math.max(1, places / WAYS));
        slots = new AtomicReferenceArray<>(sets * WAYS);
        setMask = sets - 1;
        this.mostBytes = mostBytes;
    }

    /** Whether a pod may be put. */
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

    /** Keeps a pod, unless it alone takes more than all may; {@code key} is not to be changed any more. */
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

    /** That of an equal key, else a free one, else the next in turn. */
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
