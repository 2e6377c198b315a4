package io.evenkeel.engine.answer;

import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.overlay.OverlaidPods;
import io.evenkeel.engine.overlay.OverlayAttempts;
import io.evenkeel.engine.overlay.PlanOverlay;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.Plans;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;

/**
 * The entry point of evaluation: answers about one plan, or about several plans from one revision. It holds the
 * engine's lock for reading while it computes answers, and has stale plans renewed. Any number of threads may use it;
 * they must not hold the lock.
 */
public final class Evaluator {
    private final EngineLock lock;
    private final ClusterView cluster;
    private final Plans plans;
    private final Slices slices;
    private final PlanEvaluation evaluation;
    private final OverlayAttempts attempts;

    public Evaluator(
            EngineLock lock,
            ClusterView cluster,
            Plans plans,
            Slices slices,
            PlanEvaluation evaluation,
            OverlayAttempts attempts) {
        this.lock = lock;
        this.cluster = cluster;
        this.plans = plans;
        this.slices = slices;
        this.evaluation = evaluation;
        this.attempts = attempts;
    }

    /** Answers {@code question} about the pod of {@code plan} from one revision into {@code answer}. */
    public void evaluate(PodPlan plan, Question question, Answer answer) {
        if (evaluateIfCurrent(plan, question, answer)) {
            return;
        }
        // Held until it is evaluated: while other calls fill all the room, a plan that no call holds is dropped at
        // once.
        try (PlanPins pins = new PlanPins(plans, StopSignal.NEVER, PlanPins.UNLIMITED)) {
            PodPlan current = plan;
            do {
                current = pins.renew(current);
            } while (!evaluateIfCurrent(current, question, answer));
        }
    }

    private boolean evaluateIfCurrent(PodPlan plan, Question question, Answer answer) {
        long stamp = lock.lockRead();
        try {
            boolean isCurrent = plan.isCurrent();
            if (isCurrent) {
                evaluation.run(plan, question, answer);
            }
            return isCurrent;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Answers {@code question} from one revision about the pods of all plans in {@code asked}, in slices between which
     * writers get turns.
     *
     * @param taker gets each answer with its place in {@code asked}, and again if the answer has changed meanwhile
     */
    public void evaluate(
            List<PodPlan> asked, Question question, Answer answer, ObjIntConsumer<Answer> taker, StopSignal stop) {
        BatchEvaluation batch = new BatchEvaluation(evaluation, null, asked, question, answer, taker, stop);
        try (PlanPins pins = new PlanPins(plans, stop, PlanPins.UNLIMITED)) {
            while (!advance(batch)) {
                stop.check();
                PodPlan stale = batch.stale();
                if (stale != null) {
                    // A held plan becomes stale again only if owners change just now.
                    batch.replace(pins.renew(stale));
                }
            }
        }
    }

    private boolean advance(BatchEvaluation batch) {
        long stamp = lock.lockRead();
        try {
            return batch.advance(slices.begin());
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Answers {@code question} from one revision about the pods of all plans in {@code asked}, for the hypothetical
     * cluster of {@code overlay}.
     *
     * @param taker gets each answer with its place in {@code asked}, and again if anything has changed meanwhile
     * @return the pods that the overlay refers to and that the cluster does not have
     */
    public List<PodKey> evaluate(
            List<PodPlan> asked,
            Question question,
            Overlay overlay,
            Answer answer,
            ObjIntConsumer<Answer> taker,
            StopSignal stop) {
        List<PodPlan> current = new ArrayList<>(asked);
        try (PlanPins pins = new PlanPins(plans, stop, PlanPins.UNLIMITED)) {
            return attempts.answer(stop, attempt -> {
                if (attempt > 1) {
                    current.replaceAll(pins::renew);
                }
                OverlaidPods pods = new OverlaidPods(overlay, "");
                BatchEvaluation batch = new BatchEvaluation(
                        evaluation,
                        new PlanOverlay(pods, cluster, question.isFitting()),
                        current,
                        question,
                        answer,
                        taker,
                        stop);
                return new OverlaidBatch(pods, batch, pins, answer);
            });
        }
    }

    /** An attempt to evaluate plans for a hypothetical cluster. */
    private record OverlaidBatch(OverlaidPods pods, BatchEvaluation batch, PlanPins pins, Answer used)
            implements OverlayAttempts.Attempt<List<PodKey>> {
        @Override
        public List<OverlaidPods> parts() {
            return List.of(pods);
        }

        @Override
        public boolean advance(BooleanSupplier isTimeUp) {
            return batch.advance(isTimeUp);
        }

        @Override
        public boolean prepare() {
            PodPlan stale = batch.stale();
            if (stale != null) {
                batch.replace(pins.renew(stale));
            }
            return true;
        }

        @Override
        public List<PodKey> answer() {
            // The copies that were evaluated are no longer needed.
            used.forgetQuestion();
            return pods.unknown();
        }
    }
}
