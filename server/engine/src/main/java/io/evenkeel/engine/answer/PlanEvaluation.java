package io.evenkeel.engine.answer;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.store.ClusterView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates one plan within one hold of the engine's lock: runs the passes that a question needs, and keeps an answer
 * that is still valid. Several threads may use it at the same time, each under the lock.
 */
public final class PlanEvaluation {
    private final ClusterView cluster;

    public PlanEvaluation(ClusterView cluster) {
        this.cluster = cluster;
    }

    /**
     * Answers {@code question} about the pod of a plan into {@code answer}.
     *
     * @param plan a valid plan, or a copy of one
     */
    public void run(PodPlan plan, Question question, Answer answer) {
        run(plan, question, answer, plan.moves(question.isFitting()));
    }

    /** @param moves {@link PodPlan#moves} of the plan now */
    void run(PodPlan plan, Question question, Answer answer, long moves) {
        if (answer.isStillValid(plan, question, moves)) {
            answer.restOn(cluster.revision(), cluster.versions());
            return;
        }
        NodeSubset candidates = question.candidates();
        begin(candidates, answer);
        boolean alone = question.detail() == Question.Detail.BEST
                && question.filter()
                && question.score()
                && candidates == NodeSubset.ALL
                && question.rules() == EntryRules.NONE
                && BestPass.runAlone(plan, cluster.knownSlots(), answer.draft(), question.best());
        if (!alone) {
            judge(plan, question, answer.draft());
        }
        if (question.isFitting()) {
            answer.countUnknown(cluster.podsWithoutRequests(), cluster.nodesWithoutAllocatable());
        }
        answer.end(plan, question, moves);
    }

    /**
     * Finds into {@link Answer#top} the candidates that kube-scheduler scores best in its default configuration, of
     * those that the rules {@link EntryRules#FITTING} and the hard constraints admit.
     *
     * @param plan a valid plan of the pod
     */
    public void runStock(PodPlan plan, ScoredPod pod, NodeSubset candidates, Answer answer) {
        begin(candidates, answer);
        AnswerDraft draft = answer.draft();
        draft.verdicts.sift(slots(candidates));
        EntryPass.run(plan, cluster, EntryRules.FITTING, draft);
        FilterPass.run(plan, draft.verdicts, draft.scratch);
        StockPass.top(plan, pod, cluster, draft);
    }

    /**
     * The first of the rules {@link EntryRules#FITTING} and of the hard constraints that excludes one node; null if the
     * pod may go there.
     *
     * @param slot of a node
     */
    public @Nullable Reason reasonAt(PodPlan plan, int slot) {
        Reason reason = EntryPass.reasonAt(slot, plan, cluster, EntryRules.FITTING);
        if (reason == null) {
            reason = plan.fit.reasonAt(slot);
        }
        for (int i = 0; i < plan.hard.length && reason == null; i++) {
            reason = plan.hard[i].failure(slot);
        }
        return reason;
    }

    /** The slot of the node with that name, or {@link NodeSlots#NONE}. */
    public int slotOf(String node) {
        return cluster.slotOfNode(node);
    }

    /** How many nodes the cluster has. */
    public int nodeCount() {
        return cluster.nodeCount();
    }

    /** The names of the nodes now. */
    public NodeNameTable nodeNames() {
        return cluster.nodeNames();
    }

    private void judge(PodPlan plan, Question question, AnswerDraft answer) {
        if (question.detail() == Question.Detail.TOP) {
            answer.verdicts.sift(slots(question.candidates()));
        } else {
            answer.verdicts.judge(slots(question.candidates()));
        }
        EntryPass.run(plan, cluster, question.rules(), answer);
        if (question.filter()) {
            FilterPass.run(plan, answer.verdicts, answer.scratch);
        }
        if (question.detail() == Question.Detail.TOP) {
            BestPass.top(plan, answer, question.score());
            return;
        }
        boolean wantsScores = question.detail() == Question.Detail.SCORES;
        if (question.score() && !wantsScores && BestPass.runByCounts(plan, answer, question.best())) {
            return;
        }
        if (question.score()) {
            ScorePass.run(plan, answer, wantsScores);
        }
        BestPass.run(answer, question.best());
    }

    /** Fills an answer with only revision, names and candidates, for a question without pods. */
    void runWithoutPlan(NodeSubset candidates, Answer answer) {
        begin(candidates, answer);
        answer.draft().verdicts.judge(slots(candidates));
    }

    private void begin(NodeSubset candidates, Answer answer) {
        List<String> unknown =
                candidates.isEvery() ? List.of() : cluster.resolve(candidates).unknown();
        answer.begin(cluster.nodeNames(), cluster.nodeCount(), unknown);
        answer.restOn(cluster.revision(), cluster.versions());
    }

    private long[] slots(NodeSubset candidates) {
        return candidates.isEvery()
                ? cluster.knownSlots()
                : cluster.resolve(candidates).slots();
    }
}
