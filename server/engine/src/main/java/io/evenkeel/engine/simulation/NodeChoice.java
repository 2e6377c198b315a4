package io.evenkeel.engine.simulation;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chooses the node for one pod after another by a {@link PlacementRule}. Not thread-safe. */
final class NodeChoice {
    /** The most kinds of pods for which searches are kept. */
    private static final int MAX_SEARCHES = 1_024;

    private final PlacementRule rule;
    private final Question question;
    private final List<String> order;
    private final RemainingBest remaining;
    private final IdentityHashMap<Object, FirstInOrder> searches = new IdentityHashMap<>();

    /** Null until it is needed, because to create it takes longer than to place several pods that name their nodes. */
    private @Nullable Answer answer;

    private @Nullable NodeOrder nodeOrder;

    /** @param order the names of the nodes that come first in the order of nodes */
    NodeChoice(PlacementRule rule, List<String> order) {
        this.rule = rule;
        this.order = order;
        question = Question.top(NodeSubset.ALL, rule == PlacementRule.SPREAD).under(EntryRules.FITTING);
        remaining = new RemainingBest(question.score());
    }

    /**
     * The slot of the chosen node; NONE if the pod may go to none of the candidates.
     *
     * @param scored read only by the rule STOCK
     */
    int among(NodeSubset candidates, PodPlan plan, ScoredPod scored, PlanEvaluation evaluation) {
        NodeNameTable names = evaluation.nodeNames();
        int words = NodeBits.words(names.limit());
        boolean derives = rule != PlacementRule.STOCK && candidates == NodeSubset.ALL;
        long[] top = derives ? remaining.after(plan, evaluation) : null;
        if (top == null) {
            top = judge(candidates, plan, scored, evaluation);
            if (derives) {
                remaining.begin(plan, top, words);
            } else {
                remaining.forget();
            }
        }
        int slot = search(plan, names).of(top, words);
        if (slot == NodeSlots.NONE) {
            refuse(candidates, plan, evaluation);
        }
        return slot;
    }

    private long[] judge(NodeSubset candidates, PodPlan plan, ScoredPod scored, PlanEvaluation evaluation) {
        if (rule == PlacementRule.STOCK) {
            evaluation.runStock(plan, scored, candidates, answer());
        } else {
            Question asked = candidates == NodeSubset.ALL
                    ? question
                    : Question.top(candidates, question.score()).under(EntryRules.FITTING);
            evaluation.run(plan, asked, answer());
        }
        return answer().top();
    }

    /** Call it before the pod is placed on the node that was chosen for it, if nothing else changes. */
    void place(int slot) {
        remaining.place(slot);
    }

    /** Call it if the cluster may have changed in another way. */
    void forget() {
        remaining.forget();
    }

    /** The slot of the only node to try; NONE if the pod may not go there. */
    int only(String node, PodPlan plan, PlanEvaluation evaluation) {
        remaining.forget();
        int slot = evaluation.slotOf(node);
        if (slot != NodeSlots.NONE && evaluation.reasonAt(plan, slot) == null) {
            return slot;
        }
        refuse(NodeSubset.named(List.of(node)), plan, evaluation);
        return NodeSlots.NONE;
    }

    /** Finds what excludes each of the candidates. */
    private void refuse(NodeSubset candidates, PodPlan plan, PlanEvaluation evaluation) {
        evaluation.run(
                plan, Question.filter(candidates).under(EntryRules.FITTING).withoutScores(), answer());
    }

    /** The verdict on each candidate, after NONE was returned. */
    Answer answer() {
        Answer known = answer;
        if (known == null) {
            known = new Answer();
            answer = known;
        }
        return known;
    }

    private FirstInOrder search(PodPlan plan, NodeNameTable names) {
        NodeOrder known = nodeOrder;
        if (known == null || !known.follow(names)) {
            known = new NodeOrder(names, order);
            nodeOrder = known;
            searches.clear();
        }
        FirstInOrder search = searches.get(plan.identity);
        if (search == null) {
            if (searches.size() == MAX_SEARCHES) {
                searches.clear();
            }
            search = new FirstInOrder(known);
            searches.put(plan.identity, search);
        }
        return search;
    }
}
