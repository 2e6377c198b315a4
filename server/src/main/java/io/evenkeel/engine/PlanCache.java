package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Plans by what they were made for. Looked up without a lock; changed under the engine's write lock. Full equality of the pod and the defaults in force makes a hit, a hash
 * only finds it.
 */
final class PlanCache {
    private record Key(IncomingPod pod, DefaultConstraints defaults) {}

    private final Map<Key, PodPlan> plans = new ConcurrentHashMap<>();
    private final AtomicLong tick = new AtomicLong();

    @Nullable
    PodPlan find(IncomingPod pod, DefaultConstraints defaults) {
        PodPlan plan = plans.get(new Key(pod, defaults));
        if (plan != null) {
            use(plan);
        }
        return plan;
    }

    /** Notes that a plan was used just now. */
    void use(PodPlan plan) {
        plan.use(tick.get());
    }

    /** Stores a plan; answers the one that it replaces, if any. */
    @Nullable
    PodPlan put(PodPlan plan) {
        plan.use(tick.incrementAndGet());
        return plans.put(new Key(plan.pod(), plan.defaults()), plan);
    }

    void remove(PodPlan plan) {
        plans.remove(new Key(plan.pod(), plan.defaults()), plan);
    }

    int size() {
        return plans.size();
    }

    /** The {@code howMany} plans that were used longest ago. */
    List<PodPlan> oldest(int howMany) {
        record Dated(PodPlan plan, long use) {}
        List<Dated> dated = new ArrayList<>();
        for (PodPlan plan : plans.values()) {
            dated.add(new Dated(plan, plan.lastUse()));
        }
        dated.sort(Comparator.comparingLong(Dated::use));
        return dated.stream().limit(howMany).map(Dated::plan).toList();
    }
}
