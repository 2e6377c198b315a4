package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Footprint;
import io.evenkeel.engine.model.TaintToleration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The set of eligible nodes for constraints: those that have all of a set of topology keys and meet the honoured
 * policies. Only pods on eligible nodes count.
 */
public final class Eligibility extends NodePart {
    /**
     * The key by which equal eligibilities are shared.
     *
     * @param keys the topology keys, each once, sorted
     */
    public record Key(
            List<String> keys,
            AffinityKey affinity,
            @Nullable List<TaintToleration> tolerations) {
        public static final Key EVERY_NODE = new Key(List.of(), AffinityKey.NONE, null);

        @Override
        public int hashCode() {
            return KeyedHash.ofAll(keys, affinity, tolerations);
        }
    }

    public final Key key;
    public final Topology[] topologies;
    public final NodePredicate[] predicates;
    private long[] slots = {};
    private int nodes;

    Eligibility(Key key, Topology[] topologies, NodePredicate[] predicates) {
        this.key = key;
        this.topologies = topologies;
        this.predicates = predicates;
    }

    @Override
    void take(int slot, NodeSlots.Attributes node) {
        assign(slot, current(slot));
    }

    /** An immutable copy. */
    public Eligibility frozen() {
        Eligibility copy = new Eligibility(key, topologies, predicates);
        copy.slots = slots.clone();
        copy.nodes = nodes;
        return copy;
    }

    public boolean holds(int slot) {
        return NodeBits.get(slots, slot);
    }

    public long[] slots() {
        return slots;
    }

    @Override
    List<NodePart> parts() {
        List<NodePart> parts = new ArrayList<>(List.of(topologies));
        parts.addAll(List.of(predicates));
        return parts;
    }

    @Override
    public long bytes() {
        return 256 + 8L * (slots.length + topologies.length) + Footprint.of(key.keys());
    }

    /** How many nodes are eligible. */
    public int nodes() {
        return nodes;
    }

    @Override
    void growTo(int capacity) {
        slots = NodeBits.grow(slots, capacity);
    }

    void assign(int slot, boolean eligible) {
        if (eligible != holds(slot)) {
            nodes += eligible ? 1 : -1;
            NodeBits.assign(slots, slot, eligible);
        }
    }

    /** Whether {@code slot} is eligible by the present state of the parts. */
    boolean current(int slot) {
        for (Topology topology : topologies) {
            if (!NodeBits.get(topology.carriers(), slot)) {
                return false;
            }
        }
        for (NodePredicate predicate : predicates) {
            if (!predicate.holds(slot)) {
                return false;
            }
        }
        return true;
    }
}
