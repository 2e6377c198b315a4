package io.evenkeel.engine.answer;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers about several pods, a slice at a time, until all of them are of one moment.
 *
 * <pre>
 *   pass 1   | slice | slice | slice |                        each plan is evaluated; the sums of its moves are kept
 *   pass 2   | all sums are as they were, but for few: these are evaluated anew |                        one hold: done
 * </pre>
 *
 * A pass that fits into one hold ends it, and small batches need no other. Where too much moves, the fourth pass is
 * done in one hold, however long that takes.
 */
public final class BatchEvaluation {
    private static final int SLICED_PASSES = 3;
    private static final long NOT_EVALUATED = -1;

    private final List<PodPlan> plans;
    private final long[] states;
    private final StopSignal stop;
    private int passes;
    private int next;
    private @Nullable PodPlan stale;

    public BatchEvaluation(List<PodPlan> asked, StopSignal stop) {
        this.plans = new ArrayList<>(asked);
        this.states = new long[asked.size()];
        this.stop = stop;
        Arrays.fill(states, NOT_EVALUATED);
    }

    public int size() {
        return plans.size();
    }

    public PodPlan plan(int place) {
        return plans.get(place);
    }

    /** The plan at which the last slice has stopped, since it holds no longer; null where there is none. */
    public @Nullable PodPlan stale() {
        return stale;
    }

    /** Goes on with another plan in the place of the stale one. */
    public void replace(PodPlan fresh) {
        plans.set(next, fresh);
        states[next] = NOT_EVALUATED;
    }

    /**
     * Does one slice, under the engine's lock.
     *
     * @param evaluation evaluates the plan in one place
     * @return whether all answers are of this moment
     */
    public boolean advance(ClusterStore store, IntConsumer evaluation, BooleanSupplier isTimeUp) {
        stale = null;
        if (next == plans.size()) {
            next = 0;
            passes++;
        }
        boolean whole = next == 0;
        while (next < plans.size()) {
            PodPlan plan = plans.get(next);
            if (!plan.isCurrent(store.owners)) {
                stale = plan;
                return false;
            }
            long state = plan.moves() + store.index.nodeMoves() + store.nodes.revision();
            boolean moved = state != states[next];
            if (moved) {
                stop.check();
                evaluation.accept(next);
                states[next] = state;
            }
            next++;
            if (moved && passes < SLICED_PASSES && next < plans.size() && isTimeUp.getAsBoolean()) {
                return false;
            }
        }
        return whole;
    }
}
