package io.evenkeel.placement.query;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Limits;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;

/**
 * The parts of the server that the handlers of queries use.
 *
 * @param spareAnswers earlier answers, whose arrays have grown to the size that the cluster needs
 */
public record QueryServices(
        EngineAccess access,
        RequestReader reader,
        PodPlans plans,
        Queue<Answer> spareAnswers,
        LongAdder podsJudged,
        Limits limits) {
    /** Pins plans for one query, with as many new constraints as the limits allow. */
    public PlanPins pinPlans(StopSignal stop) {
        return access.engine().pinPlans(stop, limits.newConstraints());
    }

    /** The plans of a copy of the cluster, for one call. */
    public PodPlans plansOf(SpreadEngine copy) {
        return new PodPlans(copy, reader, limits, new PodCache(1, 0));
    }
}
