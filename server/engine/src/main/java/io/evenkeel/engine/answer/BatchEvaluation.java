package io.evenkeel.engine.answer;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.overlay.PlanOverlay;
import io.evenkeel.engine.plan.PodPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates several plans, a slice at a time, until all answers are valid at one revision.
 *
 * <pre>
 *   pass 1   | slice | slice | slice |                        each plan is evaluated; its number of moves is kept
 *   pass 2   | most have not moved; the others are evaluated again |     one hold, and done
 * </pre>
 *
 * A pass that fits into one hold ends the evaluation, so small batches need only one. If too much changes, the fourth
 * pass is done in one hold, however long that takes.
 *
 * <p>A plan may be evaluated by a copy that an overlay makes of it. A new copy is made for each evaluation, and the
 * copy of the last plan is kept for the end.
 */
final class BatchEvaluation {
    private static final int SLICED_PASSES = 3;
    private static final long NOT_EVALUATED = -1;

    private final PlanEvaluation evaluation;
    private final @Nullable PlanOverlay overlay;
    private final List<PodPlan> plans;
    private final Question question;
    private final Answer answer;
    private final ObjIntConsumer<Answer> taker;
    private final StopSignal stop;
    private final long[] movesOf;
    private int passes;
    private int next;
    private @Nullable PodPlan stale;
    private @Nullable PodPlan lastEvaluated;

    /**
     * @param overlay makes the plan or copy that is evaluated for a plan; null if each plan is evaluated itself
     * @param answer is filled for each plan, and passed to {@code taker} with the plan's place
     */
    BatchEvaluation(
            PlanEvaluation evaluation,
            @Nullable PlanOverlay overlay,
            List<PodPlan> asked,
            Question question,
            Answer answer,
            ObjIntConsumer<Answer> taker,
            StopSignal stop) {
        this.evaluation = evaluation;
        this.overlay = overlay;
        this.plans = new ArrayList<>(asked);
        this.question = question;
        this.answer = answer;
        this.taker = taker;
        this.stop = stop;
        this.movesOf = new long[asked.size()];
        Arrays.fill(movesOf, NOT_EVALUATED);
    }

    /** The stale plan at which the last slice stopped; null if there is none. */
    @Nullable
    PodPlan stale() {
        return stale;
    }

    /** Replaces the stale plan. */
    void replace(PodPlan fresh) {
        plans.set(next, fresh);
        movesOf[next] = NOT_EVALUATED;
    }

    /** Does one slice, under the engine's lock; returns whether all answers are valid now. */
    boolean advance(BooleanSupplier isTimeUp) {
        if (plans.isEmpty()) {
            evaluation.runWithoutPlan(question.candidates(), answer);
            return true;
        }
        boolean done = evaluateNext(isTimeUp);
        if (done) {
            evaluation.run(Objects.requireNonNull(lastEvaluated), question, answer, movesOf[plans.size() - 1]);
        }
        return done;
    }

    private boolean evaluateNext(BooleanSupplier isTimeUp) {
        stale = null;
        if (next == plans.size()) {
            next = 0;
            passes++;
        }
        boolean whole = next == 0;
        while (next < plans.size()) {
            PodPlan plan = plans.get(next);
            if (!plan.isCurrent()) {
                stale = plan;
                return false;
            }
            long moves = plan.moves(question.isFitting());
            boolean moved = moves != movesOf[next];
            if (moved) {
                stop.check();
                if (overlay != null && !overlay.match(plan, passes < SLICED_PASSES ? isTimeUp : () -> false)) {
                    return false;
                }
                PodPlan evaluated = overlay == null ? plan : overlay.over(plan);
                evaluation.run(evaluated, question, answer, moves);
                lastEvaluated = next == plans.size() - 1 ? evaluated : lastEvaluated;
                taker.accept(answer, next);
                movesOf[next] = moves;
            }
            next++;
            if (moved && passes < SLICED_PASSES && next < plans.size() && isTimeUp.getAsBoolean()) {
                return false;
            }
        }
        return whole;
    }
}
