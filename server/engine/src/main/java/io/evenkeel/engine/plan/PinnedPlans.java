package io.evenkeel.engine.plan;

import io.evenkeel.engine.lock.StopSignal;
import java.util.ArrayList;
import java.util.List;

/** The plans that one call has pinned, and when it is to end. For use by one thread at a time. */
final class PinnedPlans {
    private final StopSignal stop;
    private final List<PodPlan> pinned = new ArrayList<>();

    PinnedPlans(StopSignal stop) {
        this.stop = stop;
    }

    StopSignal stop() {
        return stop;
    }

    /** Pins a plan; answers false where its parts are let go already. */
    boolean pin(PodPlan plan) {
        if (!plan.pin()) {
            return false;
        }
        pinned.add(plan);
        return true;
    }

    /** Takes all pins back; answers the plans that nobody finds any more, which the caller must let go. */
    List<PodPlan> unpinAll() {
        List<PodPlan> retired = pinned.stream().filter(PodPlan::unpin).toList();
        pinned.clear();
        return retired;
    }
}
