package io.evenkeel.engine.preemption;

import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.index.FitOnNode;
import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Removes the pods of lower priority from one node after another, and puts back as many as still leave room for the
 * incoming pod: kube-scheduler's {@code SelectVictimsOnNode}.
 *
 * <pre>
 *   pods[0 … size)   the pods of lower priority, the most important first once {@link #reprieve} has sorted them
 *   free[k]          what is free of a kind of {@link NodeFit} without the removed pods
 *   ports            the requests with host ports of the pods that are not removed
 *   counts[c]        the count of the node's domain for a hard constraint without the removed pods
 * </pre>
 *
 * Only the domain of the node changes, and its count only falls, so the least count is that of the other domains before
 * or that of this domain now. As in kube-scheduler, removing a terminating pod lowers the count although the pod was not
 * counted. It needs no lock, and belongs to one thread.
 */
final class NodeDryRun {
    private static final int[] NONE = {};
    private static final Comparator<LowerPod> MORE_IMPORTANT_FIRST = (one, other) -> {
        int byPriority = Integer.compare(other.priority, one.priority);
        int byImportance = byPriority != 0 ? byPriority : Long.compare(one.start, other.start);
        return byImportance != 0 ? byImportance : one.table.compareUids(one.pod, other.pod);
    };

    /** A pod of lower priority. The objects are used for one node after another. */
    private static final class LowerPod {
        private final PodTable table;
        private int pod;
        private int priority;
        private long start;
        private long[] amounts = {};

        /** The constraints for which it counts. */
        private int[] counted = NONE;

        private boolean violates;
        private boolean removed;

        LowerPod(PodTable table) {
            this.table = table;
        }
    }

    private final ClusterStore store;
    private final ClusterView cluster;
    private final PlannedConstraint[] hard;
    private final NodeFit fit;
    private final PodRequests asked;
    private final int priority;
    private final @Nullable Namespace namespace;
    private final Budgets budgets;
    private final Int2ObjectHashMap<long[]> amountsOf = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<int[]> countedOf = new Int2ObjectHashMap<>();
    private final int[] leastOfAll;
    private final long[] free;
    private final int[] counts;
    private final boolean[] eligible;
    private LowerPod[] pods = {};
    private int size;
    private int slot;
    private int violations;
    private List<PodRequests> ports = List.of();

    /**
     * @param store a copy of the state
     * @param plan a frozen copy of the plan, from the same state
     * @param fit that of the copy of the state
     */
    NodeDryRun(ClusterStore store, ClusterView cluster, PodPlan plan, NodeFit fit, Preemptor preemptor) {
        this.store = store;
        this.cluster = cluster;
        this.fit = fit;
        hard = plan.hard;
        asked = plan.pod().requests();
        priority = preemptor.priority();
        namespace = store.namespaces.find(plan.pod().namespace());
        budgets = new Budgets(preemptor.respectsBudgets() ? cluster.budgets() : List.of(), cluster);
        leastOfAll = Arrays.stream(hard).mapToInt(PlannedConstraint::leastCount).toArray();
        free = new long[fit.kinds()];
        counts = new int[hard.length];
        eligible = new boolean[hard.length];
    }

    /** When a pod started. One that has not is as if it started last. */
    static long start(int pod, ClusterView cluster) {
        long started = cluster.startedAt(pod);
        return started == 0 ? Long.MAX_VALUE : started;
    }

    /** Removes all pods of lower priority from the node in a slot; returns whether there are any. */
    boolean removeAll(int from) {
        slot = from;
        size = 0;
        int host = store.nodes.hostOf(slot);
        for (int pod = store.podsOnHost.first(host); pod != PodList.NONE; pod = store.podsOnHost.next(pod)) {
            if (store.pods.priority(pod) < priority && !cluster.isFinished(pod)) {
                add(pod);
            }
        }
        if (size == 0) {
            return false;
        }
        for (int k = 0; k < free.length; k++) {
            free[k] = fit.free(k, slot);
        }
        for (int c = 0; c < hard.length; c++) {
            counts[c] = hard[c].count(slot);
            eligible[c] = hard[c].domains().eligibility.holds(slot);
        }
        if (fit.hasPorts()) {
            ports = new ArrayList<>(cluster.ports(slot));
        }
        for (int i = 0; i < size; i++) {
            shift(pods[i], false);
        }
        return true;
    }

    private void add(int pod) {
        if (size == pods.length) {
            pods = Arrays.copyOf(pods, Math.max(16, size * 2));
            for (int i = size; i < pods.length; i++) {
                pods[i] = new LowerPod(store.pods);
            }
        }
        LowerPod lower = pods[size++];
        lower.pod = pod;
        lower.priority = store.pods.priority(pod);
        lower.start = start(pod, cluster);
        lower.amounts = amounts(store.pods.requests(pod));
        lower.counted = counted(store.pods.labelClass(pod));
        lower.violates = false;
    }

    private long[] amounts(int requests) {
        long[] known = amountsOf.get(requests);
        if (known == null) {
            PodRequests its = store.requests.get(requests);
            known = IntStream.range(0, fit.kinds())
                    .mapToLong(k -> k == 0 ? 1 : its.amount(fit.resource(k)))
                    .toArray();
            amountsOf.put(requests, known);
        }
        return Objects.requireNonNull(known);
    }

    private int[] counted(int labelClass) {
        if (hard.length == 0 || store.classes.namespaceOf(labelClass) != namespace) {
            return NONE;
        }
        int[] known = countedOf.get(labelClass);
        if (known == null) {
            known = IntStream.range(0, hard.length)
                    .filter(c -> isMatched(labelClass, hard[c].group()))
                    .toArray();
            countedOf.put(labelClass, known);
        }
        return Objects.requireNonNull(known);
    }

    private boolean isMatched(int labelClass, @Nullable SpreadGroup group) {
        return group != null && store.classes.isMatched(labelClass, group.selector.requirements);
    }

    /** Removes a pod from the node, or puts it back. */
    private void shift(LowerPod pod, boolean in) {
        int more = in ? -1 : 1;
        for (int k = 0; k < free.length; k++) {
            free[k] += more * pod.amounts[k];
        }
        for (int c : pod.counted) {
            if (eligible[c]) {
                counts[c] -= more;
            }
        }
        if (fit.hasPorts()) {
            PodRequests its = cluster.requests(pod.pod);
            if (!its.hostPorts().isEmpty()) {
                FitOnNode.shiftPorts(ports, its, in);
            }
        }
        pod.removed = !in;
    }

    /** The first rule that excludes the node without the removed pods; null if it accepts the incoming pod. */
    @Nullable
    Reason failure() {
        if (fit.hasPorts() && !FitOnNode.arePortsFree(asked, ports)) {
            return Reason.HOST_PORTS;
        }
        for (int k = 0; k < free.length; k++) {
            if (fit.asked(k) > free[k]) {
                return Reason.FREE_RESOURCES;
            }
        }
        for (int c = 0; c < hard.length; c++) {
            if (!NodeBits.get(hard[c].label().carriers(), slot)) {
                return Reason.MISSING_LABEL;
            }
            if (skew(c) > hard[c].source().maxSkew()) {
                return Reason.SKEW;
            }
        }
        return null;
    }

    private long skew(int c) {
        int least = eligible[c] ? Math.min(leastOfAll[c], counts[c]) : leastOfAll[c];
        return (long) counts[c] + hard[c].self() - (hard[c].isBelowMinDomains() ? 0 : least);
    }

    /** kube-scheduler's messages for what {@link #failure} returns. */
    List<String> messages(Reason reason) {
        if (reason != Reason.FREE_RESOURCES) {
            return List.of(reason.text());
        }
        return IntStream.range(0, free.length)
                .filter(k -> fit.asked(k) > free[k])
                .mapToObj(fit::message)
                .toList();
    }

    /**
     * Puts back as many pods as still leave room for the incoming pod: first those that exceed a disruption budget, then
     * the others, both the most important first. Called after {@link #removeAll}, if there is room without them.
     */
    void reprieve() {
        Arrays.sort(pods, 0, size, MORE_IMPORTANT_FIRST);
        budgets.nextNode();
        for (int i = 0; i < size; i++) {
            pods[i].violates = budgets.violates(pods[i].pod);
        }
        violations = reprieve(true);
        reprieve(false);
    }

    /** Returns how many stay removed. */
    private int reprieve(boolean violating) {
        int victims = 0;
        for (int i = 0; i < size; i++) {
            if (pods[i].violates == violating) {
                shift(pods[i], true);
                if (failure() != null) {
                    shift(pods[i], false);
                    victims++;
                }
            }
        }
        return victims;
    }

    /** How many of the removed pods exceed a disruption budget. */
    int violations() {
        return violations;
    }

    /** The removed pods, the most important first. */
    int[] victims() {
        return IntStream.range(0, size)
                .filter(i -> pods[i].removed)
                .map(i -> pods[i].pod)
                .toArray();
    }
}
