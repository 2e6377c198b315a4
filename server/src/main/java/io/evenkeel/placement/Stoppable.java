package io.evenkeel.placement;

import io.evenkeel.engine.StopSignal;
import io.evenkeel.engine.StoppedException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Work that the engine gives up where nobody waits for it, as {@link Prepared} has it. */
final class Stoppable {
    private Stoppable() {}

    /** @throws CancellationException where the engine gave it up */
    static <R> R run(BooleanSupplier over, Function<StopSignal, R> work) {
        try {
            return work.apply(over::getAsBoolean);
        } catch (StoppedException e) {
            CancellationException given = new CancellationException(e.getMessage());
            given.initCause(e);
            throw given;
        }
    }
}
