package io.evenkeel.engine.plan;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Plans by what they were made for. Looked up without a lock; changed under the engine's write lock. Full equality of
 * the pod and the defaults in force makes a hit, a hash only finds it.
 *
 * <p>To make room, plans stand in line in the order in which they were stored. The first one goes, unless it was used
 * since it got in line: then it goes to the end (second chance). Each is looked at about once for each that goes,
 * however many there are. Where bytes are short, the dearest of the first few goes. A plan that a call holds stays.
 */
final class PlanCache {
    private static final int FEW = 8;

    /** Plans that are looked at for one that goes: everyone waits meanwhile. */
    private static final int MOST_LOOKS = 1_024;

    private record Key(IncomingPod pod, SpreadDefaults defaults) {}

    private final Map<Key, PodPlan> plans = new ConcurrentHashMap<>();

    /** The plans that are stored, those that got in line first at the front. */
    private final Set<PodPlan> line = new LinkedHashSet<>();

    @Nullable
    PodPlan find(IncomingPod pod, SpreadDefaults defaults) {
        PodPlan plan = plans.get(new Key(pod, defaults));
        if (plan != null) {
            plan.use();
        }
        return plan;
    }

    /** Stores a plan; answers the one that it replaces, if any. */
    @Nullable
    PodPlan put(PodPlan plan) {
        line.add(plan);
        PodPlan replaced = plans.put(keyOf(plan), plan);
        if (replaced != null) {
            line.remove(replaced);
        }
        return replaced;
    }

    /**
     * Takes out and drops a plan that was not used lately, other than {@code kept}; null where there is none that no
     * call holds.
     *
     * @param dearest whether to take the dearest of the first few
     */
    @Nullable
    PodPlan dropUnused(@Nullable PodPlan kept, boolean dearest) {
        // Twice round at most: the first time may find that all were used. The next one goes on from where this ends.
        for (int looks = Math.min(MOST_LOOKS, 2 * line.size()); looks > 0; looks--) {
            PodPlan first = line.iterator().next();
            if (first != kept && !first.isPinned() && !first.forgetUse()) {
                PodPlan found = dearest ? dearestOfFirst(kept) : first;
                if (drop(found)) {
                    return found;
                }
            }
            line.remove(first);
            line.add(first);
        }
        return null;
    }

    /** Of the first few in line that were not used lately; the first is one. */
    private PodPlan dearestOfFirst(@Nullable PodPlan kept) {
        Iterator<PodPlan> plansInLine = line.iterator();
        PodPlan dearest = plansInLine.next();
        for (int looked = 1; looked < FEW && plansInLine.hasNext(); looked++) {
            PodPlan plan = plansInLine.next();
            if (plan != kept && plan.bytes() > dearest.bytes() && !plan.isPinned() && !plan.wasUsed()) {
                dearest = plan;
            }
        }
        return dearest;
    }

    /** Takes out and drops a plan, unless a call holds it. */
    boolean drop(PodPlan plan) {
        if (!plan.drop()) {
            return false;
        }
        line.remove(plan);
        plans.remove(keyOf(plan), plan);
        return true;
    }

    /** The plans that are stored, in no order; may be looked through without a lock. */
    Collection<PodPlan> all() {
        return plans.values();
    }

    int size() {
        return plans.size();
    }

    /** How many plans stand in line. */
    int inLine() {
        return line.size();
    }

    private static Key keyOf(PodPlan plan) {
        return new Key(plan.pod(), plan.defaults());
    }
}
