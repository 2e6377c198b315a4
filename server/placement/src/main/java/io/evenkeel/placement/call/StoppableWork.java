package io.evenkeel.placement.call;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.plan.PlanLimitException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Runs the engine's work for a call, stops it once the call is cancelled or its deadline has passed, and maps
 * exceptions of the engine to those of {@link Prepared}.
 */
public final class StoppableWork {
    private StoppableWork() {}

    /**
     * Runs the work of a call until it is done or {@code over} returns true.
     *
     * @param constraints the field of the request with the constraints for which plans are compiled
     * @throws CancellationException if {@code over} returned true
     * @throws RequestException if the engine has no room for the call
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
