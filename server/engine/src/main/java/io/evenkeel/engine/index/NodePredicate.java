package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Footprint;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.TaintToleration;
import java.util.Arrays;

/**
 * The set of slots whose nodes meet one condition of an incoming pod. It is updated as nodes change, and shared by all
 * pods with the same condition.
 */
public abstract class NodePredicate extends NodePart {
    private long[] slots = {};

    /** Whether a node meets the condition. */
    public abstract boolean test(NodeSlots.Attributes node);

    @Override
    final void take(int slot, NodeSlots.Attributes node) {
        assign(slot, test(node));
    }

    /** An immutable copy. */
    public final NodePredicate frozen() {
        NodePredicate copy = new Frozen();
        copy.slots = slots.clone();
        return copy;
    }

    public final long[] slots() {
        return slots;
    }

    @Override
    public final long bytes() {
        return 96 + 8L * slots.length + conditionBytes();
    }

    /** Roughly how many bytes the condition takes. */
    abstract long conditionBytes();

    public final boolean holds(int slot) {
        return NodeBits.get(slots, slot);
    }

    @Override
    final void growTo(int capacity) {
        slots = NodeBits.grow(slots, capacity);
    }

    final void assign(int slot, boolean holds) {
        NodeBits.assign(slots, slot, holds);
    }

    /** The slots that met a condition at one revision. */
    private static final class Frozen extends NodePredicate {
        @Override
        public boolean test(NodeSlots.Attributes node) {
            throw new IllegalStateException("an immutable copy cannot test nodes");
        }

        @Override
        long conditionBytes() {
            return 0;
        }
    }

    /**
     * The condition that the node is not cordoned, or that the pod tolerates the cordon (the NodeUnschedulable plugin).
     */
    static final class Schedulable extends NodePredicate {
        private static final NodeTaint CORDON =
                new NodeTaint("node.kubernetes.io/unschedulable", "", NodeTaint.NO_SCHEDULE);
        private final boolean toleratesCordon;

        Schedulable(boolean toleratesCordon) {
            this.toleratesCordon = toleratesCordon;
        }

        static boolean toleratesCordon(Iterable<TaintToleration> tolerations) {
            for (TaintToleration toleration : tolerations) {
                if (toleration.tolerates(CORDON)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public boolean test(NodeSlots.Attributes node) {
            return toleratesCordon || !node.unschedulable();
        }

        @Override
        long conditionBytes() {
            return 0;
        }
    }

    /**
     * The condition that the pod tolerates each NoSchedule and NoExecute taint of the node (the TaintToleration plugin;
     * nodeTaintsPolicy Honor).
     */
    static final class Tolerated extends NodePredicate {
        private final TaintToleration[] tolerations;

        Tolerated(Iterable<TaintToleration> tolerations) {
            TaintToleration[] all = new TaintToleration[0];
            for (TaintToleration toleration : tolerations) {
                all = Arrays.copyOf(all, all.length + 1);
                all[all.length - 1] = toleration;
            }
            this.tolerations = all;
        }

        @Override
        public boolean test(NodeSlots.Attributes node) {
            for (NodeTaint taint : node.taints()) {
                if (taint.repels() && !isTolerated(taint)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        long conditionBytes() {
            return Footprint.ofTolerations(Arrays.asList(tolerations));
        }

        private boolean isTolerated(NodeTaint taint) {
            for (TaintToleration toleration : tolerations) {
                if (toleration.tolerates(taint)) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * The condition that the pod's nodeSelector and required node affinity match the node (the NodeAffinity plugin;
     * nodeAffinityPolicy Honor).
     */
    public static final class Affine extends NodePredicate {
        private final AffinityMatcher matcher;

        public Affine(AffinityMatcher matcher) {
            this.matcher = matcher;
        }

        @Override
        public boolean test(NodeSlots.Attributes node) {
            return matcher.matches(node);
        }

        @Override
        long conditionBytes() {
            return matcher.bytes();
        }
    }
}
