package io.evenkeel.engine.explain;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.overlay.OverlaidPods;
import io.evenkeel.engine.overlay.OverlayAttempts;
import io.evenkeel.engine.overlay.PlanOverlay;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Explains answers without a long hold of the lock. It copies the state that an explanation needs in one hold, and then
 * reads the texts that it shows in slices. If a node has changed meanwhile, everything starts over.
 */
public final class Explanations {
    private final EngineLock lock;
    private final ClusterView cluster;
    private final PlanEvaluation evaluation;
    private final OverlayAttempts attempts;

    public Explanations(EngineLock lock, ClusterView cluster, PlanEvaluation evaluation, OverlayAttempts attempts) {
        this.lock = lock;
        this.cluster = cluster;
        this.evaluation = evaluation;
        this.attempts = attempts;
    }

    /**
     * Explains the answer of a plan. The caller must not hold the lock.
     *
     * @param rules which rules before the constraints are judged
     * @param overlay the hypothetical changes to the cluster
     * @param maxDomains how many domains are listed for a constraint at most
     * @param pins the hold of the call, which reports when to stop
     */
    public Explanation explain(
            PodPlan plan, NodeSubset candidates, EntryRules rules, Overlay overlay, int maxDomains, PlanPins pins) {
        Question question = Question.evaluate(candidates, 0).under(rules);
        return attempts.answer(
                pins.stop(),
                attempt -> new Copying(
                        pins.renew(plan),
                        question,
                        new OverlaidPods(overlay, ""),
                        maxDomains,
                        pins.stop(),
                        OverlayAttempts.isInOneHold(attempt)));
    }

    /** Copies the state from which an explanation is made, and then reads texts. */
    private final class Copying implements OverlayAttempts.Attempt<Explanation> {
        private final PodPlan plan;
        private final Question question;
        private final OverlaidPods pods;
        private final PlanOverlay changes;
        private final int maxDomains;
        private final StopSignal stop;

        /** Whether to read all texts in the same hold, because pods or nodes keep changing. */
        private final boolean withTexts;

        private boolean stale;
        private @Nullable StateForExplanation state;
        private @Nullable LabelSurvey labels;

        Copying(
                PodPlan plan,
                Question question,
                OverlaidPods pods,
                int maxDomains,
                StopSignal stop,
                boolean withTexts) {
            this.plan = plan;
            this.question = question;
            this.pods = pods;
            this.changes = new PlanOverlay(pods, cluster, question.isFitting());
            this.maxDomains = maxDomains;
            this.stop = stop;
            this.withTexts = withTexts;
        }

        @Override
        public List<OverlaidPods> parts() {
            return List.of(pods);
        }

        @Override
        public boolean advance(BooleanSupplier isTimeUp) {
            stale = !plan.isCurrent();
            if (stale || !changes.match(plan, isTimeUp)) {
                return false;
            }
            PodPlan changed = changes.over(plan);
            Answer answer = new Answer();
            answer.wantVersions(true);
            evaluation.run(changed, question, answer);
            StateForExplanation copied = new StateForExplanation(
                    cluster, changed, question.isFitting(), answer, new PodSurvey(cluster, plan, pods).counted());
            state = copied;
            labels = new LabelSurvey(copied);
            if (withTexts) {
                needTexts(copied, labels);
                copied.readTexts(cluster);
            }
            return true;
        }

        @Override
        public boolean prepare() {
            return !stale;
        }

        @Override
        public @Nullable Explanation answer() {
            StateForExplanation copied = Objects.requireNonNull(state);
            LabelSurvey survey = Objects.requireNonNull(labels);
            if (!withTexts) {
                needTexts(copied, survey);
                if (!copied.readTexts(lock, cluster, stop)) {
                    return null;
                }
            }
            return new Explainer(copied, survey, maxDomains, stop).explain(pods);
        }

        private void needTexts(StateForExplanation copied, LabelSurvey survey) {
            survey.needTexts();
            Explainer.needTexts(copied);
        }
    }
}
