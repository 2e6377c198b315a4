package io.evenkeel.client;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.PackedAnswer;
import java.util.List;

/**
 * What a packed answer says of each node, by node index. An index past the end is a node that is no candidate. Immutable.
 *
 * <pre>
 *   passed, unresolvable    bit i of byte b is node 8 b + i
 *   scores                  byte b is node b, 0 to 100; none where the pod has no soft constraint
 * </pre>
 */
public final class PackedVerdicts {
    private final ByteString passed;
    private final ByteString unresolvable;
    private final ByteString scores;
    private final List<Integer> best;

    PackedVerdicts(PackedAnswer answer) {
        passed = answer.getPassed();
        unresolvable = answer.getUnresolvable();
        scores = answer.getScores();
        best = answer.getBestList();
    }

    /** Whether the node may take the pod. */
    public boolean passed(int node) {
        return bit(passed, node);
    }

    /** kube-scheduler's verdict. A node that was no candidate reads as {@code UNSCHEDULABLE}: the caller knows its candidates. */
    public NodeCode code(int node) {
        if (bit(passed, node)) {
            return NodeCode.SUCCESS;
        }
        return bit(unresolvable, node) ? NodeCode.UNSCHEDULABLE_AND_UNRESOLVABLE : NodeCode.UNSCHEDULABLE;
    }

    /** 0 to 100, higher is better; 0 for a node that did not pass, and for every node where {@link #scored()} is false. */
    public int score(int node) {
        return node < scores.size() ? scores.byteAt(node) : 0;
    }

    /** Whether the pod has soft constraints, and so scores. */
    public boolean scored() {
        return !scores.isEmpty();
    }

    /** The best nodes' indexes, best first, as many as were asked for. */
    public List<Integer> best() {
        return best;
    }

    /**
     * The first node from {@code from} on that may take the pod, or -1.
     *
     * <pre>{@code
     * for (int node = verdicts.nextPassed(0); node >= 0; node = verdicts.nextPassed(node + 1)) { ... }
     * }</pre>
     */
    public int nextPassed(int from) {
        if (from < 0) {
            throw new IndexOutOfBoundsException("node must be at least 0, was " + from);
        }
        int mask = -1 << (from & 7);
        for (int index = from >>> 3; index < passed.size(); index++) {
            int bits = passed.byteAt(index) & 0xFF & mask;
            if (bits != 0) {
                return (index << 3) + Integer.numberOfTrailingZeros(bits);
            }
            mask = -1;
        }
        return -1;
    }

    private static boolean bit(ByteString bits, int node) {
        int index = node >>> 3;
        return index < bits.size() && (bits.byteAt(index) >>> (node & 7) & 1) != 0;
    }
}
