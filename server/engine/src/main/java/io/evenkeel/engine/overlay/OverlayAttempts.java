package io.evenkeel.engine.overlay;

import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.store.ClusterView;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about overlays without a long hold of the lock. The pods of the overlays are looked up in several
 * holds. Then the answer's state is read, in holds in which all these pods are as they were found. If something changes
 * meanwhile, everything starts over; after some attempts, it is done in one hold.
 */
public final class OverlayAttempts {
    private static final int SLICED = 3;

    private final EngineLock lock;
    private final ClusterView cluster;
    private final Slices slices;

    public OverlayAttempts(EngineLock lock, ClusterView cluster, Slices slices) {
        this.lock = lock;
        this.cluster = cluster;
        this.slices = slices;
    }

    /** One attempt to get an answer. */
    public interface Attempt<T> {
        /** The overlays whose pods are looked up first. */
        List<? extends OverlayLookUp.Part> parts();

        /**
         * Continues under the lock, in a hold in which all pods are as they were found; returns whether everything that
         * needs this is done. It need not be when the time is up.
         */
        boolean advance(BooleanSupplier isTimeUp);

        /**
         * Called without the lock after {@link #advance} has returned false; returns false if everything must start
         * over.
         */
        boolean prepare();

        /** Completes the answer without the lock; null if everything must start over. */
        @Nullable
        T answer();
    }

    /** Whether this attempt, counted from 1, must do everything in one hold, however long that takes. */
    public static boolean isInOneHold(int attempt) {
        return attempt > SLICED;
    }

    /**
     * Makes attempts until one has an answer.
     *
     * @param attempts begins an attempt, without the lock; gets its number, counted from 1
     */
    public <T> T answer(StopSignal stop, IntFunction<Attempt<T>> attempts) {
        for (int attempt = 1; ; attempt++) {
            Attempt<T> begun = attempts.apply(attempt);
            T answer = isRead(begun, isInOneHold(attempt), stop) ? begun.answer() : null;
            if (answer != null) {
                return answer;
            }
        }
    }

    private boolean isRead(Attempt<?> attempt, boolean inOneHold, StopSignal stop) {
        try (OverlayLookUp lookUp = new OverlayLookUp(cluster, attempt.parts(), inOneHold)) {
            while (true) {
                stop.check();
                boolean found = false;
                long stamp = lock.lockRead();
                try {
                    OverlayLookUp.State state = lookUp.advance();
                    if (state == OverlayLookUp.State.STALE) {
                        return false;
                    }
                    found = state == OverlayLookUp.State.DONE;
                    if (found && attempt.advance(inOneHold ? () -> false : slices.begin())) {
                        return true;
                    }
                    lookUp.watch();
                } finally {
                    lock.unlockRead(stamp);
                }
                if (found && !attempt.prepare()) {
                    return false;
                }
                lookUp.prepare();
            }
        }
    }
}
