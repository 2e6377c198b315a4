package io.evenkeel.engine.answer;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.AffinityMatcher;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.store.ClusterView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of a pod's scores that change only when a node does, by slot. It is kept because equal pods are often
 * placed one after another.
 *
 * <pre>
 *   allocatableCpu, allocatableMemory   of the node; 0 if it has none
 *   deterrents                          how many PreferNoSchedule taints the pod does not tolerate
 *   preference                          the sum of the weights of the preferences that match
 * </pre>
 */
final class NodeTraits {
    private @Nullable Object plan;
    private @Nullable ScoredPod pod;
    private long changes;
    private long[] allocatableCpu = {};
    private long[] allocatableMemory = {};
    private int[] deterrents = {};
    private int[] preference = {};

    /** Makes these the traits of the nodes as they are now. */
    void follow(PodPlan ofPod, ScoredPod scored, ClusterView cluster) {
        if (plan == ofPod.identity && scored.equals(pod) && changes == cluster.nodeChanges()) {
            return;
        }
        plan = ofPod.identity;
        pod = scored;
        changes = cluster.nodeChanges();
        long[] known = cluster.knownSlots();
        int limit = known.length << 6;
        if (deterrents.length < limit) {
            allocatableCpu = new long[limit];
            allocatableMemory = new long[limit];
            deterrents = new int[limit];
            preference = new int[limit];
        }
        List<AffinityMatcher> matchers = scored.preferences().stream()
                .map(each -> cluster.matcher(each.term()))
                .toList();
        Map<NodeTaint, Boolean> tolerated = new HashMap<>();
        for (int w = 0; w < known.length; w++) {
            for (long left = known[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                NodeSlots.Attributes node = cluster.attributes(slot);
                NodeAllocatable has = node.allocatable();
                allocatableCpu[slot] = has == null ? 0 : has.amount(PodRequests.CPU);
                allocatableMemory[slot] = has == null ? 0 : has.amount(PodRequests.MEMORY);
                deterrents[slot] = deterrents(node, ofPod.pod().tolerations(), tolerated);
                preference[slot] = preference(node, scored.preferences(), matchers);
            }
        }
    }

    /** @param known whether taints that were compared before are tolerated */
    private static int deterrents(
            NodeSlots.Attributes node, List<TaintToleration> tolerations, Map<NodeTaint, Boolean> known) {
        int deterrents = 0;
        for (NodeTaint taint : node.taints()) {
            if (taint.deters()
                    && !known.computeIfAbsent(
                            taint, each -> tolerations.stream().anyMatch(toleration -> toleration.tolerates(each)))) {
                deterrents++;
            }
        }
        return deterrents;
    }

    private static int preference(
            NodeSlots.Attributes node, List<ScoredPod.Preference> preferences, List<AffinityMatcher> matchers) {
        int sum = 0;
        for (int i = 0; i < matchers.size(); i++) {
            sum += matchers.get(i).matches(node) ? preferences.get(i).weight() : 0;
        }
        return sum;
    }

    long allocatableCpu(int slot) {
        return allocatableCpu[slot];
    }

    long allocatableMemory(int slot) {
        return allocatableMemory[slot];
    }

    int deterrents(int slot) {
        return deterrents[slot];
    }

    int preference(int slot) {
        return preference[slot];
    }
}
