package io.evenkeel.engine;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Plans by what they were made for. Looked up without a lock; changed under the engine's write lock. Full equality of the pod and the defaults in force makes a hit, a hash
 * only finds it.
 *
 * <p>To make room, plans stand in line in the order in which they were stored; the first one goes, unless it was used since it got in line: then it goes to the end (second
 * chance). Each is looked at about once for each that goes, however many there are.
 */
final class PlanCache {
    private record Key(IncomingPod pod, DefaultConstraints defaults) {}

    private final Map<Key, PodPlan> plans = new ConcurrentHashMap<>();

    /** The plans that are stored, those that got in line first at the front. */
    private final Set<PodPlan> line = new LinkedHashSet<>();

    @Nullable
    PodPlan find(IncomingPod pod, DefaultConstraints defaults) {
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

    /** Takes out a plan that was not used lately, other than {@code kept}; null where there is no other. */
    @Nullable
    PodPlan takeUnused(PodPlan kept) {
        if (plans.size() <= 1) {
            return null;
        }
        while (true) {
            PodPlan plan = line.iterator().next();
            line.remove(plan);
            if (plan != kept && !plan.forgetUse()) {
                plans.remove(keyOf(plan));
                return plan;
            }
            line.add(plan);
        }
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
