package io.evenkeel.client;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.BestAnswer;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.ReasonCount;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a packed answer about one pod: the verdict on each node, by node index. An index past the end is a node that is
 * not a candidate. Immutable.
 *
 * <pre>
 *   passed, unresolvable    bit i of byte b is node 8 b + i
 *   scores                  byte b is node b, 0 to 100; empty if the pod has no soft constraint
 * </pre>
 *
 * An answer of form BEST contains only the best nodes: {@link #best} and {@link #bestScore}. If there are none, no
 * candidate may take the pod, and the answer does not say why. Methods about single nodes throw
 * {@link IllegalStateException} for this form.
 */
public final class PackedVerdicts {
    private final PackedAnswer answer;

    /** The scores of the best nodes, by rank, in an answer of form BEST; otherwise null. */
    private final @Nullable ByteString bestScores;

    private PackedVerdicts(PackedAnswer answer, @Nullable ByteString bestScores) {
        this.answer = answer;
        this.bestScores = bestScores;
    }

    static PackedVerdicts of(PackedAnswer answer) {
        return new PackedVerdicts(answer, null);
    }

    static PackedVerdicts of(BestAnswer answer) {
        return new PackedVerdicts(
                PackedAnswer.newBuilder()
                        .addAllBestIndexes(answer.getBestIndexesList())
                        .setHardConstraintCount(answer.getHardConstraintCount())
                        .setSoftConstraintCount(answer.getSoftConstraintCount())
                        .setUnknownCandidateCount(answer.getUnknownCandidateCount())
                        .build(),
                answer.getBestScores());
    }

    /** Whether the node may take the pod. */
    public boolean passed(int node) {
        requireAllNodes();
        return bit(answer.getPassed(), node);
    }

    /**
     * kube-scheduler's verdict. It is also {@code UNSCHEDULABLE} for a node that was not a candidate. The answer does
     * not distinguish the two, but the caller knows the candidates.
     */
    public NodeCode code(int node) {
        requireAllNodes();
        if (bit(answer.getPassed(), node)) {
            return NodeCode.NODE_CODE_SUCCESS;
        }
        return bit(answer.getUnresolvable(), node)
                ? NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE
                : NodeCode.NODE_CODE_UNSCHEDULABLE;
    }

    /**
     * The score of a node, 0 to 100; higher is better. It is 0 for a node that did not pass, and for all nodes if
     * {@link #softConstraintCount()} is 0.
     */
    public int score(int node) {
        requireAllNodes();
        return byteAt(answer.getScores(), node);
    }

    /** The number of hard constraints that apply to the pod. Without any, every candidate passes. */
    public int hardConstraintCount() {
        return answer.getHardConstraintCount();
    }

    /** The number of soft constraints that apply to the pod. Without any, all scores are 0. */
    public int softConstraintCount() {
        return answer.getSoftConstraintCount();
    }

    /**
     * How many candidates each of kube-scheduler's messages excludes, largest count first. Empty unless the candidates
     * are fitting ones; see {@link CandidateNodes#fitting()}.
     */
    public List<ReasonCount> reasons() {
        requireAllNodes();
        return answer.getReasonsList();
    }

    /** The number of {@link PackedAnswers#unknownCandidates}. If it is not 0, some nodes were not judged. */
    public int unknownCandidateCount() {
        return answer.getUnknownCandidateCount();
    }

    /** The indexes of the best nodes, best first, up to the requested number. */
    public List<Integer> best() {
        return answer.getBestIndexesList();
    }

    /**
     * The score of the node at {@code rank} of {@link #best()}, 0 to 100; 0 if {@link #softConstraintCount()} is 0.
     *
     * @param rank from 0
     */
    public int bestScore(int rank) {
        int node = answer.getBestIndexes(rank);
        return bestScores == null ? score(node) : byteAt(bestScores, rank);
    }

    /**
     * The first node at or after {@code from} that may take the pod, or -1.
     *
     * <pre>{@code
     * for (int node = verdicts.nextPassed(0); node >= 0; node = verdicts.nextPassed(node + 1)) { ... }
     * }</pre>
     *
     * @throws IndexOutOfBoundsException if {@code from} is negative
     */
    public int nextPassed(int from) {
        if (from < 0) {
            throw new IndexOutOfBoundsException("node must be at least 0, was " + from);
        }
        requireAllNodes();
        ByteString passed = answer.getPassed();
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
        if (bestScores != null) {
            throw new IllegalStateException(
                    "the answer contains only the best nodes; set options.form to PACKED in the query");
        }
    }

    private static int byteAt(ByteString bytes, int index) {
        return index < bytes.size() ? bytes.byteAt(index) : 0;
    }

    private static boolean bit(ByteString bits, int node) {
        int index = node >>> 3;
        return index < bits.size() && (bits.byteAt(index) >>> (node & 7) & 1) != 0;
    }
}
