package io.evenkeel.placement.query;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Footprint;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.objects.PodRanges;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.UnjudgedRule;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Map;
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

    /** The size of a slot, the reference to it, an array header and an {@link Entry}, without their contents. */
    private static final long OWN_BYTES = 128;

    /**
     * The cache has one slot per this many bytes, which is less than the size of a pod with a constraint. So most slots
     * are filled when the bytes run out, and the hand finds a filled slot quickly.
     */
    private static final long FEWEST_BYTES = 512;

    private static final class Slot {
        final long hash;
        final byte[] key;
        final Entry pod;
        final long bytes;

        Slot(long hash, byte[] key, Entry pod) {
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
    Entry find(long hash, PodRanges ranges) {
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
    void put(long hash, byte[] key, Entry pod) {
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

    /**
     * A translated pod and its most recent plans. The references to plans are weak because the engine decides how long
     * to keep them. A plan is used again only if its defaults are those in force and the engine confirms that it is
     * still valid. Thread-safe.
     *
     * <p>Only with rules FITTING, an answer depends on the pod's requests and its node. Pods that differ only in these
     * share a plan for other questions.
     */
    static final class Entry {
        /** This many terms of anti-affinity can be compared with a pod in well under a millisecond. */
        private static final int MAX_TERMS = 1_024;

        private static final int REPELLED = UnjudgedRules.bit(UnjudgedRule.UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS);

        private static final int BYTES_OF_A_SHORTAGE = "Insufficient , ".length();

        private final SpreadDefaults profileDefaults;
        private final String namespace;
        private final Map<String, String> labels;
        private final int unjudged;
        private final View whole;
        private final View spread;
        private volatile Repulsion repulsion = new Repulsion(0, false);

        /** Whether anti-affinity of pods on nodes matches the pod, after this many moves of the terms. */
        private record Repulsion(long moves, boolean is) {}

        /** The pod as some questions see it, and its most recent plan for these. */
        private static final class View {
            volatile IncomingPod pod;
            volatile @Nullable WeakReference<PodPlan> lastPlan;

            View(IncomingPod pod) {
                this.pod = pod;
            }

            void note(PodPlan plan) {
                lastPlan = new WeakReference<>(plan);
                // The plan's pod is equal, and is kept in memory anyway.
                pod = plan.pod();
            }
        }

        /**
         * @param pod the pod, reduced to what its plan depends on
         * @param labels all its labels
         * @param profileDefaults the server's default constraints for the pod's scheduler profile
         */
        Entry(IncomingPod pod, Map<String, String> labels, SpreadDefaults profileDefaults) {
            this.profileDefaults = profileDefaults;
            this.namespace = pod.namespace();
            this.labels = pod.labels().equals(labels) ? pod.labels() : labels;
            unjudged = UnjudgedRules.of(pod.requests());
            whole = new View(pod);
            spread = pod.requests().isKnown() || !pod.nodeName().isEmpty() ? new View(pod.withoutDemands()) : whole;
        }

        private View view(EntryRules rules) {
            return rules == EntryRules.FITTING ? whole : spread;
        }

        /** The default constraints in force: those of the request or, if {@code own} is null, the server's. */
        SpreadDefaults defaults(@Nullable SpreadDefaults own) {
            return own == null ? profileDefaults : own;
        }

        /** The number of constraints in force for the pod: its own or, if it has none, the defaults. */
        int constraints(SpreadDefaults defaults) {
            return defaults.inForceFor(whole.pod).size();
        }

        /** See {@link PodPlans.Wanted#shortageBytes}. */
        int shortageBytes() {
            return whole.pod.requests().amounts().stream()
                    .mapToInt(amount -> BYTES_OF_A_SHORTAGE + amount.resource().length())
                    .sum();
        }

        /** The approximate size of the pod in bytes. */
        long bytes() {
            return whole.pod.bytes() + (spread == whole ? 0 : spread.pod.bytes()) + Footprint.of(labels);
        }

        /**
         * The rules that are not judged and that the pod calls for by what it asks for, or that pods on nodes call for
         * by their anti-affinity.
         */
        int unjudged(SpreadEngine engine) {
            long moves = engine.antiAffinityMoves();
            Repulsion last = repulsion;
            if (last.moves != moves) {
                last = new Repulsion(moves, engine.antiAffinityTo(namespace, labels, MAX_TERMS) != null);
                repulsion = last;
            }
            return last.is ? unjudged | REPELLED : unjudged;
        }

        /** The plan, or null if there is no valid one. */
        @Nullable
        PodPlan findPlan(SpreadEngine engine, EntryRules rules, SpreadDefaults defaults) {
            View view = view(rules);
            WeakReference<PodPlan> last = view.lastPlan;
            PodPlan plan = last == null ? null : last.get();
            if (plan != null && plan.defaults().equals(defaults) && engine.isStillValid(plan)) {
                return plan;
            }
            PodPlan found = engine.findPlan(view.pod, defaults);
            if (found != null) {
                view.note(found);
            }
            return found;
        }

        /** The plan, pinned by {@code pins}. Compiles it if there is none. */
        PodPlan plan(PlanPins pins, EntryRules rules, SpreadDefaults defaults) {
            View view = view(rules);
            PodPlan plan = pins.plan(view.pod, defaults);
            view.note(plan);
            return plan;
        }
    }
}
