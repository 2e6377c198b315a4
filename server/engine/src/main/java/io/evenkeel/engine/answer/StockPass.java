package io.evenkeel.engine.answer;

import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.store.ClusterView;

/**
 * Finds the best nodes by the sum of the scores of kube-scheduler 1.36 in its default configuration, except those of
 * plugins that are not judged.
 *
 * <pre>
 *   plugin                            weight   score of a node that passed
 *   TaintToleration                        3   deterrents of {@link NodeTraits}, normalised in reverse
 *   NodeAffinity                           2   preference of {@link NodeTraits}, normalised
 *   PodTopologySpread                      2   {@link ScorePass}
 *   NodeResourcesFit                       1   {@link LeastAllocated}
 *   NodeResourcesBalancedAllocation        1   {@link BalancedAllocation}, if the pod asks for cpu or memory
 * </pre>
 */
final class StockPass {
    private static final int TAINT_TOLERATION = 3;
    private static final int NODE_AFFINITY = 2;
    private static final int TOPOLOGY_SPREAD = 2;
    private static final int RESOURCES_FIT = 1;
    private static final int BALANCED_ALLOCATION = 1;

    private StockPass() {}

    /** Finds all of the judged candidates that passed that have the best sum. */
    static void top(PodPlan plan, ScoredPod pod, ClusterView cluster, AnswerDraft answer) {
        long[] passed = answer.verdicts.passed();
        int words = answer.verdicts.words();
        NodeTraits traits = answer.scratch.traits;
        traits.follow(plan, pod, cluster);
        StockSums sums = answer.scratch.stockSums;
        sums.begin(words);
        sums.addNormalized(passed, words, TAINT_TOLERATION, true, traits::deterrents);
        if (!pod.preferences().isEmpty()) {
            sums.addNormalized(passed, words, NODE_AFFINITY, false, traits::preference);
        }
        if (plan.soft.length > 0) {
            ScorePass.run(plan, answer, true);
            sums.add(passed, words, TOPOLOGY_SPREAD, answer.scores::get);
        }
        PodRequests.NonZero nonZero = pod.nonZero();
        sums.add(
                passed,
                words,
                RESOURCES_FIT,
                slot -> LeastAllocated.score(
                        cluster.nonZeroCpu(slot) + nonZero.cpu(),
                        traits.allocatableCpu(slot),
                        cluster.nonZeroMemory(slot) + nonZero.memory(),
                        traits.allocatableMemory(slot)));
        long cpu = plan.pod().requests().amount(PodRequests.CPU);
        long memory = plan.pod().requests().amount(PodRequests.MEMORY);
        if (cpu != 0 || memory != 0) {
            sums.add(
                    passed,
                    words,
                    BALANCED_ALLOCATION,
                    slot -> BalancedAllocation.score(
                            traits.allocatableCpu(slot) - cluster.freeCpu(slot),
                            cpu,
                            traits.allocatableCpu(slot),
                            traits.allocatableMemory(slot) - cluster.freeMemory(slot),
                            memory,
                            traits.allocatableMemory(slot)));
        }
        sums.top(passed, words, answer.beginTop());
    }
}
