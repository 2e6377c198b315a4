package io.evenkeel.engine.preemption;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.cluster.ResolvedNodes;
import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PlanFork;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The dry run of one preemption. It is made under the engine's lock, with the verdict on each node; it searches nodes
 * for victims without the lock, because it has a copy of the state to itself.
 *
 * <p>The rules are those of kube-scheduler's DefaultPreemption if it looks at all nodes. Nodes are ranked as
 * {@code pickOneNodeForPreemption} does: fewest violated budgets, lowest highest priority of a victim, least sum of
 * priorities, fewest victims, latest earliest start among the victims of the highest priority; and then by name, for
 * which kube-scheduler takes any.
 */
public final class DryRun {
    private static final Comparator<Found> BEST_FIRST = Comparator.comparingInt((Found found) -> found.violations)
            .thenComparingInt(found -> found.highestPriority)
            .thenComparingLong(found -> found.prioritySum)
            .thenComparingInt(found -> found.victims.length)
            .thenComparing(Comparator.comparingLong((Found found) -> found.earliestStart)
                    .reversed())
            .thenComparing(found -> found.node);

    /** A node on which preemption helps. */
    private static final class Found {
        private final String node;

        /** The ids of the pods. */
        private final int[] victims;

        private final int violations;
        private final int highestPriority;
        private final long prioritySum;

        /** {@link Long#MAX_VALUE} if none has started. */
        private final long earliestStart;

        Found(String node, int[] victims, int violations, int highest, long prioritySum, long earliestStart) {
            this.node = node;
            this.victims = victims;
            this.violations = violations;
            highestPriority = highest;
            this.prioritySum = prioritySum;
            this.earliestStart = earliestStart;
        }
    }

    private final ClusterStore store;
    private final ClusterView cluster;
    private final PodPlan plan;
    private final Preemptor preemptor;
    private final List<String> unknown;
    private final long[] resolvable;
    private int candidates;
    private int accepting;
    private int unresolvable;
    private boolean isNominationUnresolvable;

    /**
     * Judges the candidates as they are. Called under the engine's lock.
     *
     * @param live the state of which {@code store} is a copy
     * @param plan a current plan of the engine
     * @param reasons the first rule that excludes the node in a slot, or null
     */
    public DryRun(
            ClusterView live,
            ClusterStore store,
            PodPlan plan,
            Preemptor preemptor,
            NodeSubset asked,
            IntFunction<@Nullable Reason> reasons) {
        this.store = store;
        this.preemptor = preemptor;
        this.plan = PlanFork.frozen().fork(plan);
        cluster = new ClusterView(store);
        ResolvedNodes resolved = asked.isEvery() ? null : live.resolve(asked);
        unknown = resolved == null ? List.of() : resolved.unknown();
        long[] slots = resolved == null ? live.knownSlots() : resolved.slots();
        resolvable = new long[slots.length];
        int nominated = live.slotOfNode(preemptor.nominatedNode());
        // kube-scheduler takes a node that is not a candidate for one on which preemption cannot help.
        isNominationUnresolvable = nominated >= 0 && !NodeBits.get(slots, nominated);
        for (int word = 0; word < slots.length; word++) {
            for (long left = slots[word]; left != 0; left &= left - 1) {
                judge(word * Long.SIZE + Long.numberOfTrailingZeros(left), nominated, reasons);
            }
        }
    }

    private void judge(int slot, int nominated, IntFunction<@Nullable Reason> reasons) {
        candidates++;
        Reason reason = reasons.apply(slot);
        if (reason == null) {
            accepting++;
        } else if (reason.code() == VerdictCode.UNSCHEDULABLE) {
            NodeBits.set(resolvable, slot);
        } else {
            unresolvable++;
            isNominationUnresolvable |= slot == nominated;
        }
    }

    /**
     * Searches the nodes for victims. Needs no lock.
     *
     * @param most how many nodes are returned at most
     */
    public Preemption search(int most, StopSignal stop) {
        Map<Reason, Map<String, Integer>> excluding = new EnumMap<>(Reason.class);
        List<NodeVictims> best = List.of();
        boolean preempts = accepting == 0 && !preemptor.never();
        boolean terminating = preempts && hasTerminatingVictims();
        int helpful = 0;
        int withoutVictims = 0;
        if (preempts && !terminating) {
            NodeFit fit = store.index.acquireFit(plan.pod().requests());
            NodeDryRun node = new NodeDryRun(store, cluster, plan, fit, preemptor);
            PriorityQueue<Found> found = new PriorityQueue<>(BEST_FIRST.reversed());
            for (int slot = 0; slot < resolvable.length * Long.SIZE; slot++) {
                if (!NodeBits.get(resolvable, slot)) {
                    continue;
                }
                stop.check();
                if (!node.removeAll(slot)) {
                    withoutVictims++;
                } else if (node.failure() != null) {
                    count(node, excluding);
                } else {
                    helpful++;
                    if (found.size() == most && isWorse(node, found.element())) {
                        continue;
                    }
                    node.reprieve();
                    found.add(found(slot, node));
                    if (found.size() > most) {
                        found.remove();
                    }
                }
            }
            best = found.stream().sorted(BEST_FIRST).map(this::described).toList();
        }
        return new Preemption(
                store.revision(),
                store.versions,
                unknown,
                candidates,
                accepting,
                terminating,
                best,
                helpful,
                unresolvable,
                withoutVictims,
                excluding);
    }

    /**
     * Whether a node is certainly worse than another one, because a victim has a higher priority. Looking for that is
     * faster than finding the victims. If budgets are violated, they decide first.
     */
    private static boolean isWorse(NodeDryRun node, Found other) {
        return other.violations == 0 && node.needsVictimAbove(other.highestPriority);
    }

    /** Whether the pod has preempted pods of its nominated node that are still there, and the node may yet take it. */
    private boolean hasTerminatingVictims() {
        int nominated = cluster.slotOfNode(preemptor.nominatedNode());
        boolean[] any = new boolean[1];
        if (nominated >= 0 && !isNominationUnresolvable) {
            cluster.forEachOn(
                    nominated,
                    pod -> any[0] |= store.pods.wasPreempted(pod)
                            && !cluster.isFinished(pod)
                            && cluster.priority(pod) < preemptor.priority());
        }
        return any[0];
    }

    private static void count(NodeDryRun node, Map<Reason, Map<String, Integer>> excluding) {
        Reason reason = node.failure();
        if (reason != null) {
            Map<String, Integer> messages = excluding.computeIfAbsent(reason, none -> new TreeMap<>());
            node.messages(reason).forEach(message -> messages.merge(message, 1, Integer::sum));
        }
    }

    private Found found(int slot, NodeDryRun node) {
        int[] victims = node.victims();
        int highest = cluster.priority(victims[0]);
        long sum = 0;
        long earliest = Long.MAX_VALUE;
        for (int victim : victims) {
            int priority = cluster.priority(victim);
            sum += (long) priority - Integer.MIN_VALUE;
            if (priority == highest) {
                long started = cluster.startedAt(victim);
                earliest = Math.min(earliest, started == 0 ? Long.MAX_VALUE : started);
            }
        }
        return new Found(cluster.nameOfNode(slot), victims, node.violations(), highest, sum, earliest);
    }

    private NodeVictims described(Found found) {
        List<Victim> victims = new ArrayList<>(found.victims.length);
        Arrays.stream(found.victims)
                .forEach(pod -> victims.add(new Victim(
                        cluster.uid(pod),
                        cluster.namespace(pod),
                        cluster.name(pod),
                        cluster.priority(pod),
                        cluster.startedAt(pod))));
        long start = found.earliestStart == Long.MAX_VALUE ? 0 : found.earliestStart;
        return new NodeVictims(found.node, victims, found.violations, found.prioritySum, start);
    }
}
