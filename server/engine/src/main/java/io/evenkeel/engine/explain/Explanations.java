package io.evenkeel.engine.explain;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.overlay.OverlaidPods;
import io.evenkeel.engine.overlay.OverlayLookUp;
import io.evenkeel.engine.overlay.PlanOverlay;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explains answers without a long hold of the lock. It looks up the pods of an overlay in slices, copies the state that
 * an explanation needs in one hold, and then reads the texts that it shows in slices. If such a pod or a node has
 * changed meanwhile, everything starts over; after some attempts, it is done in one hold.
 */
public final class Explanations {
    private final EngineLock lock;
    private final ClusterView cluster;
    private final Slices slices;
    private final PlanEvaluation evaluation;

    public Explanations(EngineLock lock, ClusterView cluster, Slices slices, PlanEvaluation evaluation) {
        this.lock = lock;
        this.cluster = cluster;
        this.slices = slices;
        this.evaluation = evaluation;
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
        PodPlan current = plan;
        for (int attempt = 1; ; attempt++) {
            pins.stop().check();
            current = pins.renew(current);
            boolean inOneHold = attempt >= OverlayLookUp.TRIES;
            Copied copied =
                    copy(current, Question.evaluate(candidates, 0).under(rules), overlay, inOneHold, pins.stop());
            if (copied == null) {
                continue;
            }
            if (!inOneHold) {
                copied.needTexts();
            }
            if (inOneHold || copied.state.readTexts(lock, cluster, pins.stop())) {
                return new Explainer(copied.state, copied.labels, maxDomains, pins.stop()).explain(copied.overlaid);
            }
        }
    }

    /** The copies from which an explanation is made. */
    private record Copied(StateForExplanation state, LabelSurvey labels, OverlaidPods overlaid) {
        void needTexts() {
            labels.needTexts();
            Explainer.needTexts(state);
        }
    }

    /**
     * Copies the state that an explanation needs; null if everything must start over.
     *
     * @param inOneHold whether to read all pods and texts in the same hold, because pods or nodes keep changing
     */
    private @Nullable Copied copy(
            PodPlan plan, Question question, Overlay overlay, boolean inOneHold, StopSignal stop) {
        OverlaidPods pods = new OverlaidPods(overlay, "");
        PlanOverlay changes = new PlanOverlay(pods, cluster, question.isFitting());
        try (OverlayLookUp lookUp = new OverlayLookUp(cluster, List.of(pods), inOneHold)) {
            while (true) {
                stop.check();
                long stamp = lock.lockRead();
                try {
                    OverlayLookUp.State state = lookUp.advance();
                    if (state == OverlayLookUp.State.STALE) {
                        return null;
                    }
                    if (state == OverlayLookUp.State.DONE) {
                        if (!plan.isCurrent()) {
                            return null;
                        }
                        if (changes.match(plan, inOneHold ? () -> false : slices.begin())) {
                            return copy(changes.over(plan), question, pods, inOneHold);
                        }
                        lookUp.watch();
                    }
                } finally {
                    lock.unlockRead(stamp);
                }
                lookUp.prepare();
            }
        }
    }

    private Copied copy(PodPlan changed, Question question, OverlaidPods pods, boolean withTexts) {
        Answer answer = new Answer();
        answer.wantVersions(true);
        evaluation.run(changed, question, answer);
        StateForExplanation state = new StateForExplanation(cluster, changed, question.isFitting(), answer);
        Copied copied = new Copied(state, new LabelSurvey(state), pods);
        if (withTexts) {
            copied.needTexts();
            state.readTexts(cluster);
        }
        return copied;
    }
}
