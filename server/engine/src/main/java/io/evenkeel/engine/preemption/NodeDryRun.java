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
import java.util.List;
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
 * Only the domain of the node changes, and its count only falls, so the least count is that of all domains before or
 * that of this domain now. As in kube-scheduler, removing a terminating pod lowers the count although the pod was not
 * counted. It needs no lock, and belongs to one thread.
 */
final class NodeDryRun {
    /** Up to this many pods are sorted by insertion, which then is faster. */
    private static final int FEW_PODS = 40;

    /** A pod of lower priority. The objects are used for one node after another. */
    private static final class LowerPod implements Comparable<LowerPod> {
        private final PodTable table;
        private int pod;

        /**
         * [ bits of the priority, inverted | start - 1, unsigned, so that 0 comes last ]: the lowest is most important.
         */
        private long rank;

        private long[] amounts = {};
        private Traits traits = Traits.NONE;
        private boolean violates;
        private boolean removed;

        LowerPod(PodTable table) {
            this.table = table;
        }

        /** Less than 0 if it is more important than the other. */
        @Override
        public int compareTo(LowerPod other) {
            return rank != other.rank ? Long.compare(rank, other.rank) : table.compareUids(pod, other.pod);
        }
    }

    /** What the pods of a label class have in common. */
    private static final class Traits {
        static final Traits NONE = new Traits(new int[0], new Budgets.Budget[0]);

        /** The hard constraints for which they count. */
        private final int[] counted;

        /** The disruption budgets that match them. */
        private final Budgets.Budget[] budgets;

        Traits(int[] counted, Budgets.Budget[] budgets) {
            this.counted = counted;
            this.budgets = budgets;
        }
    }

    private final ClusterStore store;
    private final ClusterView cluster;
    private final PlannedConstraint[] hard;
    private final NodeFit fit;
    private final boolean hasPorts;
    private final PodRequests incoming;
    private final int priority;
    private final @Nullable Namespace namespace;
    private final Budgets budgets;

    /**
     * How much of each kind the pods with these requests take, by the id of the requests; null if not looked up yet.
     */
    private long[][] amountsOf = new long[64][];

    private final Int2ObjectHashMap<Traits> traitsOf = new Int2ObjectHashMap<>();

    /** How much of each kind the incoming pod asks for. */
    private final long[] asked;

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
        hasPorts = fit.hasPorts();
        hard = plan.hard;
        incoming = plan.pod().requests();
        priority = preemptor.priority();
        namespace = store.namespaces.find(plan.pod().namespace());
        budgets = new Budgets(preemptor.respectsBudgets() ? cluster.budgets() : List.of(), cluster);
        asked = IntStream.range(0, fit.kinds()).mapToLong(fit::asked).toArray();
        leastOfAll = Arrays.stream(hard).mapToInt(PlannedConstraint::leastCount).toArray();
        free = new long[asked.length];
        counts = new int[hard.length];
        eligible = new boolean[hard.length];
    }

    /** Removes all pods of lower priority from the node in a slot; returns whether there are any. */
    boolean removeAll(int from) {
        slot = from;
        size = 0;
        for (int k = 0; k < free.length; k++) {
            free[k] = fit.free(k, slot);
        }
        for (int c = 0; c < hard.length; c++) {
            counts[c] = hard[c].count(slot);
            eligible[c] = hard[c].domains().eligibility.holds(slot);
        }
        if (hasPorts) {
            ports = new ArrayList<>(cluster.ports(slot));
        }
        int host = store.nodes.hostOf(slot);
        for (int pod = store.podsOnHost.first(host); pod != PodList.NONE; pod = store.podsOnHost.next(pod)) {
            int its = store.pods.priority(pod);
            if (its < priority && !cluster.isFinished(pod)) {
                remove(pod, its);
            }
        }
        return size > 0;
    }

    private void remove(int pod, int itsPriority) {
        if (size == pods.length) {
            pods = Arrays.copyOf(pods, Math.max(16, size * 2));
            for (int i = size; i < pods.length; i++) {
                pods[i] = new LowerPod(store.pods);
            }
        }
        LowerPod lower = pods[size++];
        lower.pod = pod;
        lower.rank = rank(itsPriority, store.pods.startedAt(pod));
        lower.amounts = amounts(store.pods.requests(pod));
        lower.traits = traits(pod);
        shift(lower, false);
    }

    private static long rank(int priority, long startedAt) {
        return (long) ~priority << Integer.SIZE | startedAt - 1 & 0xFFFF_FFFFL;
    }

    private long[] amounts(int requests) {
        if (requests >= amountsOf.length) {
            amountsOf = Arrays.copyOf(amountsOf, requests * 2);
        }
        if (amountsOf[requests] == null) {
            PodRequests its = store.requests.get(requests);
            amountsOf[requests] = IntStream.range(0, asked.length)
                    .mapToLong(k -> k == 0 ? 1 : its.amount(fit.resource(k)))
                    .toArray();
        }
        return amountsOf[requests];
    }

    private Traits traits(int pod) {
        int labelClass = store.pods.labelClass(pod);
        Traits known = traitsOf.get(labelClass);
        if (known == null) {
            int[] counted = counted(labelClass);
            Budgets.Budget[] matching = budgets.matching(pod);
            known = counted.length == 0 && matching.length == 0 ? Traits.NONE : new Traits(counted, matching);
            traitsOf.put(labelClass, known);
        }
        return known;
    }

    /** The hard constraints for which the pods of a label class count. */
    private int[] counted(int labelClass) {
        int[] counted = Traits.NONE.counted;
        for (int c = 0; c < hard.length; c++) {
            SpreadGroup group = hard[c].group();
            if (group != null
                    && store.classes.namespaceOf(labelClass) == namespace
                    && store.classes.isMatched(labelClass, group.selector.requirements)) {
                counted = Arrays.copyOf(counted, counted.length + 1);
                counted[counted.length - 1] = c;
            }
        }
        return counted;
    }

    /** Removes a pod from the node, or puts it back. */
    private void shift(LowerPod pod, boolean in) {
        int more = in ? -1 : 1;
        for (int k = 0; k < free.length; k++) {
            free[k] += more * pod.amounts[k];
        }
        for (int c : pod.traits.counted) {
            if (eligible[c]) {
                counts[c] -= more;
            }
        }
        if (hasPorts) {
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
        if (hasPorts && !FitOnNode.arePortsFree(incoming, ports)) {
            return Reason.HOST_PORTS;
        }
        for (int k = 0; k < free.length; k++) {
            if (asked[k] > free[k]) {
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
                .filter(k -> asked[k] > free[k])
                .mapToObj(fit::message)
                .toList();
    }

    /**
     * Whether the node rejects the incoming pod unless a pod above this priority is removed: the more pods there are,
     * the less room there is, and the higher is the skew. Called after {@link #removeAll}, if there is room without its
     * pods. If it returns true, they are not all removed any longer.
     */
    boolean needsVictimAbove(int most) {
        shiftAbove(most, true);
        boolean needs = failure() != null;
        if (!needs) {
            shiftAbove(most, false);
        }
        return needs;
    }

    private void shiftAbove(int most, boolean in) {
        long bound = rank(most, 1);
        for (int i = 0; i < size; i++) {
            if (pods[i].rank < bound) {
                shift(pods[i], in);
            }
        }
    }

    /**
     * Puts back as many pods as still leave room for the incoming pod: first those that exceed a disruption budget,
     * then the others, both the most important first. Called after {@link #removeAll}, if there is room without them.
     */
    void reprieve() {
        sort();
        budgets.nextNode();
        for (int i = 0; i < size; i++) {
            pods[i].violates = budgets.violates(pods[i].pod, pods[i].traits.budgets);
        }
        violations = reprieve(true);
        reprieve(false);
    }

    private void sort() {
        if (size > FEW_PODS) {
            Arrays.sort(pods, 0, size);
            return;
        }
        for (int i = 1; i < size; i++) {
            LowerPod next = pods[i];
            int at = i;
            while (at > 0 && next.compareTo(pods[at - 1]) < 0) {
                pods[at] = pods[at - 1];
                at--;
            }
            pods[at] = next;
        }
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
        int[] victims = new int[size];
        int count = 0;
        for (int i = 0; i < size; i++) {
            if (pods[i].removed) {
                victims[count++] = pods[i].pod;
            }
        }
        return Arrays.copyOf(victims, count);
    }
}
