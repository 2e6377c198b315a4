package io.evenkeel.placement.call;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.plan.PlanLimitException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Work that the engine gives up where nobody waits for it, and refuses where it has no room; as {@link Prepared} has
 * it.
 */
public final class Stoppable {
    private Stoppable() {}

    /**
     * Runs the work of a call.
     *
     * @throws CancellationException where the engine gave it up, since nobody waits
     * @throws RequestException where the engine has no room for what the whole call needs
     */
    public static <R> R run(BooleanSupplier over, Function<StopSignal, R> work) {
        try {
            return work.apply(over::getAsBoolean);
        } catch (StoppedException e) {
            CancellationException given = new CancellationException(e.getMessage());
            given.initCause(e);
            throw given;
        } catch (PlanLimitException e) {
            throw RequestException.overLimit(e);
        } catch (CapacityException e) {
            throw RequestException.overLimit(e);
        }
    }
}
