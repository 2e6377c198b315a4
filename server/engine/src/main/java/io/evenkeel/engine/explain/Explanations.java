package io.evenkeel.engine.explain;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.plan.PlanFork;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explains answers without a long hold of the lock. The state that an explanation needs is copied in one hold; the
 * texts that it shows are read afterwards, some at a time. If a node has changed meanwhile, everything begins again;
 * after some attempts, it is done in one hold.
 */
public final class Explanations {
    private static final int TRIES = 4;

    private final EngineLock lock;
    private final ClusterView cluster;
    private final PlanEvaluation evaluation;

    public Explanations(EngineLock lock, ClusterView cluster, PlanEvaluation evaluation) {
        this.lock = lock;
        this.cluster = cluster;
        this.evaluation = evaluation;
    }

    /**
     * Explains the answer of a plan. The caller must not hold the lock.
     *
     * @param without a pod of the cluster to leave out, or null
     * @param maxDomains how many domains are listed for a constraint at most
     * @param hold the hold of the call, which says when to stop
     */
    public Explanation explain(
            PodPlan plan, CandidateNodes candidates, @Nullable PodKey without, int maxDomains, PlanHold hold) {
        PodPlan current = plan;
        for (int attempt = 1; ; attempt++) {
            hold.stop().check();
            current = hold.renew(current);
            boolean inOneHold = attempt >= TRIES;
            Copied copied = copy(current, Question.evaluate(candidates, 0), without, inOneHold);
            if (copied == null) {
                continue;
            }
            if (!inOneHold) {
                copied.needTexts();
            }
            if (inOneHold || copied.state.readTexts(lock, cluster, hold.stop())) {
                return new Explainer(copied.state, copied.labels, maxDomains, hold.stop()).explain(copied.wasPlaced);
            }
        }
    }

    /** The copies from which an explanation is made. */
    private record Copied(StateForExplanation state, LabelSurvey labels, boolean wasPlaced) {
        void needTexts() {
            labels.needTexts();
            Explainer.needTexts(state);
        }
    }

    /**
     * Copies the state that an explanation needs; null where the plan is stale.
     *
     * @param withTexts whether to read all texts in the same hold, because nodes keep changing
     */
    private @Nullable Copied copy(PodPlan plan, Question question, @Nullable PodKey without, boolean withTexts) {
        long stamp = lock.lockRead();
        try {
            if (!plan.isCurrent()) {
                return null;
            }
            List<Integer> away = without == null ? List.of() : cluster.placedPods(without);
            StateForExplanation state = stateWithout(away, plan, question);
            Copied copied = new Copied(state, new LabelSurvey(state), !away.isEmpty());
            if (withTexts) {
                copied.needTexts();
                state.readTexts(cluster);
            }
            return copied;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    private StateForExplanation stateWithout(List<Integer> pods, PodPlan plan, Question question) {
        PodPlan changed = pods.isEmpty() ? plan : PlanFork.overOwnCounts(plan);
        for (int pod : pods) {
            PlanFork.shift(changed, cluster, pod, false);
        }
        Answer answer = new Answer();
        evaluation.run(changed, question, answer);
        return new StateForExplanation(cluster, changed, answer);
    }
}
