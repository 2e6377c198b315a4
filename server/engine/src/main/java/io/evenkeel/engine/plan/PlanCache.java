package io.evenkeel.engine.plan;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadDefaults;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps plans by the pod and the default constraints for which they were compiled. Changes are made under the engine's
 * lock for writing. A hit needs full equality of the pod and the defaults; the hash only finds candidates.
 *
 * <pre>
 *   plans     pod                 , defaults → plan
 *   byOwners  reduced pod, selector, defaults → the same plan, if the selector comes from the pod's owners
 * </pre>
 *
 * <p>Plans are evicted from a queue in the order in which they were stored. The first one is dropped, unless it was
 * used since it was queued: then it moves to the end (second chance). If bytes are short, the largest of the first few
 * is dropped. A plan that a call holds stays.
 */
final class PlanCache {
    private static final int FEW = 8;

    /** The most plans that are checked to drop one, because all readers wait meanwhile. */
    private static final int MAX_CHECKS = 1_024;

    /** @param owners the selector from the pod's owners, to which the pod is reduced; null if the pod is whole */
    private record Key(
            IncomingPod pod,
            SpreadDefaults defaults,
            @Nullable PodSelector owners) {
        static Key of(IncomingPod pod, SpreadDefaults defaults) {
            return new Key(pod, defaults, null);
        }

        static Key byOwners(IncomingPod pod, SpreadDefaults defaults, PodSelector owners) {
            return new Key(pod.reducedTo(owners), defaults, owners);
        }
    }

    private final Map<Key, PodPlan> plans = new ConcurrentHashMap<>();
    private final Map<Key, PodPlan> byOwners = new ConcurrentHashMap<>();

    /** The stored plans, in the order of the queue. */
    private final Set<PodPlan> line = new LinkedHashSet<>();

    @Nullable
    PodPlan find(IncomingPod pod, SpreadDefaults defaults) {
        return used(plans.get(Key.of(pod, defaults)));
    }

    /** The plan of any pod that differs from this one only in what answers do not depend on, given this selector. */
    @Nullable
    PodPlan find(IncomingPod pod, SpreadDefaults defaults, PodSelector owners) {
        return used(byOwners.get(Key.byOwners(pod, defaults, owners)));
    }

    private static @Nullable PodPlan used(@Nullable PodPlan plan) {
        if (plan != null) {
            plan.use();
        }
        return plan;
    }

    /** Stores a plan; returns the one that it replaces, if any. */
    @Nullable
    PodPlan put(PodPlan plan) {
        PodPlan replaced = plans.get(Key.of(plan.pod(), plan.defaults()));
        if (replaced != null) {
            remove(replaced);
        }
        line.add(plan);
        plans.put(Key.of(plan.pod(), plan.defaults()), plan);
        if (plan.ownersSelector() != null) {
            byOwners.put(Key.byOwners(plan.pod(), plan.defaults(), plan.ownersSelector()), plan);
        }
        return replaced;
    }

    private void remove(PodPlan plan) {
        line.remove(plan);
        plans.remove(Key.of(plan.pod(), plan.defaults()), plan);
        if (plan.ownersSelector() != null) {
            byOwners.remove(Key.byOwners(plan.pod(), plan.defaults(), plan.ownersSelector()), plan);
        }
    }

    /**
     * Removes and drops a plan other than {@code kept} that was not used recently; returns null if calls hold all
     * plans.
     *
     * @param dearest whether to choose the largest of the first few
     */
    @Nullable
    PodPlan dropUnused(@Nullable PodPlan kept, boolean dearest) {
        // At most twice through the queue, because the first pass may find that all plans were used. The next call
        // continues from here.
        for (int looks = Math.min(MAX_CHECKS, 2 * line.size()); looks > 0; looks--) {
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

    /**
     * The largest of the first few plans in the queue that were not used recently. The first plan must be such a plan.
     */
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

    /** Removes and drops a plan, unless a call holds it. */
    boolean drop(PodPlan plan) {
        if (!plan.drop()) {
            return false;
        }
        remove(plan);
        return true;
    }

    /** The stored plans in no order. May be read without a lock. */
    Collection<PodPlan> all() {
        return plans.values();
    }

    int size() {
        return plans.size();
    }

    /** How many plans are in the queue. */
    int queued() {
        return line.size();
    }
}
