package io.evenkeel.engine.explain;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.DomainWeights;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.plan.PlanFork;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The state from which an explanation is made, at one revision: the nodes, and the plan with copies of all its parts.
 * It is made under the engine's lock by copying arrays, and is read without the lock.
 *
 * <p>Nodes refer to their labels by ids, which mean the same texts only as long as the node has these labels. So the
 * texts that are needed are read afterwards in slices under the lock, each from a node that has not changed since. If
 * one has changed, everything starts over.
 */
final class StateForExplanation {
    private static final int TEXTS_A_HOLD = 1_024;

    final PodPlan plan;
    final Answer answer;

    /** For each constraint, the number of domains that its weight in scoring depends on. */
    final int[] weighedDomains;

    /** Whose pods each constraint counts, by its index. */
    final Map<Integer, Explanation.@Nullable Counted> counted;

    private final NodeSlots.@Nullable Attributes[] nodes;
    private final Int2IntHashMap nodeOfText = new Int2IntHashMap(NodeSlots.NONE);
    private final Int2ObjectHashMap<String> texts = new Int2ObjectHashMap<>();
    private final int[] selectedKeys;

    /**
     * Copies the state, under the engine's lock.
     *
     * @param plan a valid plan, or a copy of one
     * @param fitting whether what is free on nodes is copied too
     * @param answer the answer of the plan, from the same hold
     * @param counted whose pods each constraint counts, by its index
     */
    StateForExplanation(
            ClusterView cluster,
            PodPlan plan,
            boolean fitting,
            Answer answer,
            Map<Integer, Explanation.@Nullable Counted> counted) {
        this.answer = answer;
        this.counted = counted;
        weighedDomains = weighedDomains(plan, answer);
        nodes = cluster.copyOfNodes();
        selectedKeys = plan.pod().nodeSelector().keySet().stream()
                .mapToInt(cluster::findText)
                .toArray();
        PodPlan copy = PlanFork.frozen().fork(plan);
        this.plan = fitting ? copy.withFit(plan.fit.fork()) : copy;
    }

    /** For each constraint, how many domains there are among the nodes that passed and that scoring does not ignore. */
    private static int[] weighedDomains(PodPlan plan, Answer answer) {
        int words = NodeBits.words(answer.names().limit());
        DomainWeights weights = new DomainWeights();
        long[] considered = answer.passed().clone();
        if (plan.ignoresIncompleteNodes) {
            for (PlannedConstraint soft : plan.soft) {
                NodeBits.and(considered, soft.label().carriers(), 0, words);
            }
        }
        int[] domains = new int
                [Stream.of(plan.hard, plan.soft)
                        .flatMap(Arrays::stream)
                        .mapToInt(constraint -> constraint.index() + 1)
                        .max()
                        .orElse(0)];
        for (PlannedConstraint soft : plan.soft) {
            domains[soft.index()] = weights.domainsAmong(soft.domains().topology, considered, words);
        }
        return domains;
    }

    NodeSlots.Attributes node(int slot) {
        return Objects.requireNonNull(nodes[slot]);
    }

    boolean isKnown(int slot) {
        return slot < nodes.length && nodes[slot] != null;
    }

    /** Slots are below this. */
    int limit() {
        return nodes.length;
    }

    /** The id of the key at {@code place} of the pod's nodeSelector, or {@link StringTable#NONE} if no node has it. */
    int selectedKey(int place) {
        return selectedKeys[place];
    }

    /** Requests the text of an id that a label of the node has. */
    void need(int id, int slot) {
        nodeOfText.put(id, slot);
    }

    /** The text of an id that was requested. */
    String text(int id) {
        return Objects.requireNonNull(texts.get(id));
    }

    /** The value of the domain that a slot is in; null if it is in none. */
    @Nullable
    String valueAt(Topology topology, int slot) {
        NodeSlots.Attributes node = node(slot);
        if (topology.kind == Topology.Kind.NODE) {
            return node.name();
        }
        int value = topology.valueIn(node.labels());
        return value == StringTable.NONE ? null : text(value);
    }

    /** Requests the values of all domains of a topology. */
    void needValues(Topology topology) {
        if (topology.kind != Topology.Kind.NODE) {
            for (int slot = 0; slot < nodes.length; slot++) {
                NodeSlots.Attributes node = nodes[slot];
                int value = node == null ? StringTable.NONE : topology.valueIn(node.labels());
                if (value != StringTable.NONE) {
                    need(value, slot);
                }
            }
        }
    }

    /**
     * Reads the requested texts, some in each hold of the lock; returns false if a node from which a text must be read
     * has changed.
     */
    boolean readTexts(EngineLock lock, ClusterView cluster, StopSignal stop) {
        Int2IntHashMap.EntryIterator needed = nodeOfText.entrySet().iterator();
        while (needed.hasNext()) {
            stop.check();
            long stamp = lock.lockRead();
            try {
                if (!readTexts(needed, cluster, TEXTS_A_HOLD)) {
                    return false;
                }
            } finally {
                lock.unlockRead(stamp);
            }
        }
        return true;
    }

    /** Reads all requested texts at once, in the hold of the lock in which this was made. */
    void readTexts(ClusterView cluster) {
        readTexts(nodeOfText.entrySet().iterator(), cluster, Integer.MAX_VALUE);
    }

    private boolean readTexts(Int2IntHashMap.EntryIterator needed, ClusterView cluster, int most) {
        for (int i = 0; i < most && needed.hasNext(); i++) {
            needed.next();
            int slot = needed.getIntValue();
            if (!cluster.isStill(slot, nodes[slot])) {
                return false;
            }
            texts.put(needed.getIntKey(), cluster.text(needed.getIntKey()));
        }
        return true;
    }
}
