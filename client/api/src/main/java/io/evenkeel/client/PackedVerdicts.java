package io.evenkeel.client;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.PodAnswer;
import java.util.List;

/**
 * Reads a packed answer about one pod: the verdict on each node, by node index. An index past the end is a node that is
 * not a candidate. Immutable.
 *
 * <pre>
 *   passed, unresolvable    bit i of byte b is node 8 b + i
 *   scores                  byte b is node b, 0 to 100; empty where the pod has no soft constraint
 * </pre>
 *
 * An answer of form BEST names only the best nodes: {@link #best}, {@link #bestScore} and {@link #scored}. Where best
 * nodes were asked for and none is named, no candidate may take the pod; the reasons are not given. Methods about
 * single nodes then throw {@link IllegalStateException}.
 */
public final class PackedVerdicts {
    private final ByteString passed;
    private final ByteString unresolvable;
    private final ByteString scores;
    private final ByteString bestScores;
    private final List<Integer> best;
    private final boolean scored;
    private final boolean bestAlone;

    PackedVerdicts(PodAnswer pod) {
        PackedAnswer answer = pod.getPacked();
        passed = answer.getPassed();
        unresolvable = answer.getUnresolvable();
        scores = answer.getScores();
        bestScores = answer.getBestScores();
        best = answer.getBestList();
        scored = pod.getScored();
        bestAlone = answer.getBestAlone();
    }

    /** Whether the node may take the pod. */
    public boolean passed(int node) {
        requireAllNodes();
        return bit(passed, node);
    }

    /**
     * kube-scheduler's verdict. It is {@code UNSCHEDULABLE} for a node that was not a candidate: the answer does not
     * tell the two apart, but the caller knows its candidates.
     */
    public NodeCode code(int node) {
        requireAllNodes();
        if (bit(passed, node)) {
            return NodeCode.SUCCESS;
        }
        return bit(unresolvable, node) ? NodeCode.UNSCHEDULABLE_AND_UNRESOLVABLE : NodeCode.UNSCHEDULABLE;
    }

    /**
     * The score of a node, 0 to 100; higher is better. It is 0 for a node that did not pass, and for all nodes where
     * {@link #scored()} is false.
     */
    public int score(int node) {
        requireAllNodes();
        return node < scores.size() ? scores.byteAt(node) : 0;
    }

    /** Whether the pod has soft constraints, and its nodes therefore have scores. */
    public boolean scored() {
        return scored;
    }

    /** The best nodes' indexes, best first, as many as were asked for. */
    public List<Integer> best() {
        return best;
    }

    /**
     * The score of the node at {@code rank} of {@link #best()}, 0 to 100; 0 where {@link #scored()} is false.
     *
     * @param rank from 0
     */
    public int bestScore(int rank) {
        int node = best.get(rank);
        return bestAlone ? scored ? bestScores.byteAt(rank) : 0 : score(node);
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
        requireAllNodes();
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

    private void requireAllNodes() {
        if (bestAlone) {
            throw new IllegalStateException("only the best nodes were asked for: ask with options.form PACKED");
        }
    }

    private static boolean bit(ByteString bits, int node) {
        int index = node >>> 3;
        return index < bits.size() && (bits.byteAt(index) >>> (node & 7) & 1) != 0;
    }
}
