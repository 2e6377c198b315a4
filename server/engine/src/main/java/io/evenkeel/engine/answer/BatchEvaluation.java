package io.evenkeel.engine.answer;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.plan.PodPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;
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
final class BatchEvaluation {
    private static final int SLICED_PASSES = 3;
    private static final long NOT_EVALUATED = -1;

    private final Evaluation evaluation;
    private final List<PodPlan> plans;
    private final Question question;
    private final Answer answer;
    private final ObjIntConsumer<Answer> taker;
    private final StopSignal stop;
    private final long[] movesOf;
    private int passes;
    private int next;
    private @Nullable PodPlan stale;

    /** @param answer is filled anew for each plan, and handed to {@code taker} with the plan's place */
    BatchEvaluation(
            Evaluation evaluation,
            List<PodPlan> asked,
            Question question,
            Answer answer,
            ObjIntConsumer<Answer> taker,
            StopSignal stop) {
        this.evaluation = evaluation;
        this.plans = new ArrayList<>(asked);
        this.question = question;
        this.answer = answer;
        this.taker = taker;
        this.stop = stop;
        this.movesOf = new long[asked.size()];
        Arrays.fill(movesOf, NOT_EVALUATED);
    }

    /** The plan at which the last slice has stopped, since it holds no longer; null where there is none. */
    @Nullable
    PodPlan stale() {
        return stale;
    }

    /** Goes on with another plan in the place of the stale one. */
    void replace(PodPlan fresh) {
        plans.set(next, fresh);
        movesOf[next] = NOT_EVALUATED;
    }

    /** Does one slice, under the engine's lock; answers whether all answers are of this moment. */
    boolean advance(BooleanSupplier isTimeUp) {
        if (plans.isEmpty()) {
            evaluation.runWithoutPlan(question.candidates(), answer);
            return true;
        }
        boolean done = evaluateNext(isTimeUp);
        if (done) {
            evaluation.run(plans.get(plans.size() - 1), question, answer);
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
            long moves = plan.moves();
            boolean moved = moves != movesOf[next];
            if (moved) {
                stop.check();
                evaluation.run(plan, question, answer, moves);
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
