package io.evenkeel.engine.plan;

import io.evenkeel.engine.lock.StopSignal;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the pins of the plans that one call uses, so that none of them is released, and knows when the call must stop.
 * One thread at a time may use it.
 */
final class PinnedPlans {
    private final StopSignal stop;
    private final List<PodPlan> pinned = new ArrayList<>();

    PinnedPlans(StopSignal stop) {
        this.stop = stop;
    }

    StopSignal stop() {
        return stop;
    }

    /** Pins a plan; returns false if its parts are released already. */
    boolean pin(PodPlan plan) {
        if (!plan.pin()) {
            return false;
        }
        pinned.add(plan);
        return true;
    }

    /** Removes all pins; returns the retired plans among them, whose parts the caller must release. */
    List<PodPlan> unpinAll() {
        List<PodPlan> retired =
                pinned.stream().filter(PodPlan::unpin).map(PodPlan::stored).toList();
        pinned.clear();
        return retired;
    }
}
