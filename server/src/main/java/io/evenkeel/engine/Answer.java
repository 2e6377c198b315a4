package io.evenkeel.engine;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer about one pod, by node index; filled by {@link SpreadEngine#evaluate} and reused from call to call without allocation. Not safe for use by several threads.
 *
 * <pre>
 *   candidates   the nodes that were judged
 *   passed       those that Filter let through (all of them where it was not asked)
 *   takenOut[r]  those that the rule r was the first to take out; what is in none of these sets was taken out by skew
 *   scores[i]    0…100
 * </pre>
 */
public final class Answer {
    private static final Reason[] REASONS = Reason.values();

    final Scratch scratch = new Scratch();
    private long revision;
    private @Nullable NodeNames names;
    private List<String> unknownCandidates = List.of();
    private int words;
    private long[] candidates = {};
    private long[] passed = {};
    private final long[][] takenOut = new long[REASONS.length][0];
    private final boolean[] takesOut = new boolean[REASONS.length];
    private byte[] scores = {};
    private boolean scored;
    private int[] best = {};
    private int bestCount;

    /** Working memory of the passes, kept from call to call. */
    static final class Scratch {
        final JointScore joint = new JointScore();
        final int[] places = new int[101];
        long[] considered = {};
        private double[] weights = {};
        private double[] sums = {};
        private long[] raw = {};

        double[] weights(int constraints) {
            if (weights.length < constraints) {
                weights = new double[constraints];
            }
            return weights;
        }

        /** All zero between two calls. */
        double[] sums(int slots) {
            if (sums.length < slots) {
                sums = new double[slots];
            }
            return sums;
        }

        long[] raw(int slots) {
            if (raw.length < slots) {
                raw = new long[slots];
            }
            return raw;
        }
    }

    void begin(long atRevision, NodeNames nodeNames, List<String> unknown) {
        revision = atRevision;
        names = nodeNames;
        unknownCandidates = unknown;
        words = NodeBits.words(nodeNames.limit());
        if (candidates.length < words) {
            candidates = new long[words];
            passed = new long[words];
            scores = new byte[words * 64];
        }
        Arrays.fill(takesOut, false);
        scored = false;
        bestCount = 0;
    }

    /** The slots that are judged; the passes start from all of them. */
    void setCandidates(long[] slots) {
        int given = Math.min(words, slots.length);
        System.arraycopy(slots, 0, candidates, 0, given);
        Arrays.fill(candidates, given, words, 0);
        System.arraycopy(candidates, 0, passed, 0, words);
    }

    /** Keeps those of {@code slots} among the passed, and notes the others as taken out by {@code reason}. */
    void keep(long[] slots, Reason reason) {
        int r = reason.ordinal();
        if (takenOut[r].length < words) {
            takenOut[r] = new long[words];
        }
        long[] out = takenOut[r];
        long[] left = passed;
        if (!takesOut[r]) {
            takesOut[r] = true;
            Arrays.fill(out, 0, words, 0);
        }
        int common = Math.min(words, slots.length);
        for (int w = 0; w < common; w++) {
            out[w] |= left[w] & ~slots[w];
            left[w] &= slots[w];
        }
        for (int w = common; w < words; w++) {
            out[w] |= left[w];
            left[w] = 0;
        }
    }

    int words() {
        return words;
    }

    long[] passed() {
        return passed;
    }

    byte[] scores() {
        return scores;
    }

    byte[] beginScores() {
        scored = true;
        Arrays.fill(scores, 0, words * 64, (byte) 0);
        return scores;
    }

    int[] beginBest(int atMost) {
        int room = Math.min(atMost, words * 64);
        if (best.length < room) {
            best = new int[room];
        }
        return best;
    }

    void endBest(int count) {
        bestCount = count;
    }

    /** The engine's revision that the answer is of. */
    public long revision() {
        return revision;
    }

    /** The node table that indexes refer to. */
    public NodeNames names() {
        return Objects.requireNonNull(names);
    }

    /** Named candidates that the cluster does not have. */
    public List<String> unknownCandidates() {
        return unknownCandidates;
    }

    public boolean isCandidate(int index) {
        return index < words * 64 && NodeBits.get(candidates, index);
    }

    public boolean isPassed(int index) {
        return index < words * 64 && NodeBits.get(passed, index);
    }

    /** The first rule that takes a candidate out; null where it passed or is no candidate. */
    public @Nullable Reason reason(int index) {
        if (!isCandidate(index) || isPassed(index)) {
            return null;
        }
        for (int r = 0; r < REASONS.length; r++) {
            if (takesOut[r] && NodeBits.get(takenOut[r], index)) {
                return REASONS[r];
            }
        }
        return Reason.SKEW;
    }

    /** The verdict on a candidate. */
    public NodeCode code(int index) {
        Reason reason = reason(index);
        return reason == null ? NodeCode.SUCCESS : reason.code();
    }

    /** 0 to 100; 0 for what is no candidate, did not pass, is ignored or was not scored. */
    public int score(int index) {
        return scored && index < words * 64 ? scores[index] : 0;
    }

    /** Whether the pod has soft constraints and scores were asked for. */
    public boolean isScored() {
        return scored;
    }

    public int candidateCount() {
        return NodeBits.cardinality(candidates, words);
    }

    public int passedCount() {
        return NodeBits.cardinality(passed, words);
    }

    /** How many candidates a rule was the first to take out. */
    public int takenOutBy(Reason reason) {
        if (reason != Reason.SKEW) {
            return takesOut[reason.ordinal()] ? NodeBits.cardinality(takenOut[reason.ordinal()], words) : 0;
        }
        int others = 0;
        for (Reason each : REASONS) {
            if (each != Reason.SKEW) {
                others += takenOutBy(each);
            }
        }
        return candidateCount() - passedCount() - others;
    }

    /** How many of the best nodes were picked out. */
    public int bestCount() {
        return bestCount;
    }

    /** The index of the node in place {@code rank} (0 is the best); equal scores: the lower index first. */
    public int best(int rank) {
        return best[Objects.checkIndex(rank, bestCount)];
    }

    /** The bytes that {@link #copyPassed} and {@link #copyUnresolvable} write: one bit a node index. */
    public int bitSetBytes() {
        return (names().limit() + 7) >>> 3;
    }

    /** Writes the passed set, bit {@code i & 7} of byte {@code i >> 3}, to {@code target} from {@code at} on. */
    public void copyPassed(byte[] target, int at) {
        copy(passed, target, at);
    }

    /** Likewise the candidates that are UnschedulableAndUnresolvable. */
    public void copyUnresolvable(byte[] target, int at) {
        int length = bitSetBytes();
        for (int i = 0; i < length; i++) {
            long word = 0;
            for (int r = 0; r < REASONS.length; r++) {
                if (takesOut[r]) {
                    word |= takenOut[r][i >>> 3];
                }
            }
            target[at + i] = (byte) (word >>> (i << 3));
        }
    }

    /** Writes one byte a node index, the score, to {@code target} from {@code at} on. */
    public void copyScores(byte[] target, int at) {
        System.arraycopy(scores, 0, target, at, names().limit());
    }

    private void copy(long[] slots, byte[] target, int at) {
        int length = bitSetBytes();
        for (int i = 0; i < length; i++) {
            target[at + i] = (byte) (slots[i >>> 3] >>> (i << 3));
        }
    }
}
