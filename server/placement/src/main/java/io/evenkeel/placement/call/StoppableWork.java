package io.evenkeel.placement.call;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.plan.PlanLimitException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Runs the engine's work for a call, stops it when nobody waits for the answer any more, and turns exceptions of the
 * engine into those of {@link Prepared}.
 */
public final class StoppableWork {
    private StoppableWork() {}

    /**
     * Runs the work of a call, until {@code over} says that nobody waits for it.
     *
     * @param constraints the field of the request that has the constraints for which plans are compiled
     * @throws CancellationException where the work was stopped because nobody waits for it
     * @throws RequestException where the engine has no room for the call
     */
    public static <R> R run(BooleanSupplier over, String constraints, Function<StopSignal, R> work) {
        try {
            return work.apply(over::getAsBoolean);
        } catch (StoppedException e) {
            CancellationException given = new CancellationException(e.getMessage());
            given.initCause(e);
            throw given;
        } catch (PlanLimitException e) {
            throw RequestException.overLimit(e, constraints);
        } catch (CapacityException e) {
            throw RequestException.stateFull(e);
        }
    }
}
