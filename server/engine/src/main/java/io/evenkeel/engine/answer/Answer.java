package io.evenkeel.engine.answer;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PodPlan;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer about one pod, by node index; filled by {@code SpreadEngine.evaluate} and reused from call to call without
 * allocation. Not safe for use by several threads.
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
    private static final VarHandle BYTES = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    public final Scratch scratch = new Scratch();
    private long revision;
    private @Nullable NodeNameTable names;
    private List<String> unknownCandidates = List.of();
    private int nodes;
    private int words;
    private boolean judged;
    private long[] candidates = {};
    private long[] passed = {};
    private final long[][] takenOut = new long[REASONS.length][0];
    private final boolean[] takesOut = new boolean[REASONS.length];
    private byte[] scores = {};
    private boolean scored;
    private boolean everyScore;
    private int[] best = {};
    private byte[] bestScores = {};
    private int bestCount;

    /** What the last call asked, and what it rested on, while the answer stands. */
    private @Nullable PodPlan askedPlan;

    private @Nullable Question asked;
    private long restedOn;

    /** Working memory of the passes, kept from call to call. */
    public static final class Scratch {
        final ScoreCells cells = new ScoreCells();
        final ScorePlanes planes = new ScorePlanes();
        final ScoreByNode byNode = new ScoreByNode();
        final BestByCounts bestByCounts = new BestByCounts();
        final BestByPlanes bestByPlanes = new BestByPlanes();
        private final int[] weighedDomains = new int[4];
        private final double[] weightOfDomains = new double[4];
        private long[] considered = {};
        private long[] atMost = {};
        private long[] seen = {};

        /** {@link ScorePass#weight} of that many domains; a cluster asks for few, again and again. */
        double weight(int domains) {
            int place = domains & 3;
            if (weighedDomains[place] != domains || weightOfDomains[place] == 0) {
                weighedDomains[place] = domains;
                weightOfDomains[place] = ScorePass.weight(domains);
            }
            return weightOfDomains[place];
        }

        long[] considered(int length) {
            if (considered.length < length) {
                considered = new long[length];
            }
            return considered;
        }

        long[] atMost(int length) {
            if (atMost.length < length) {
                atMost = new long[length];
            }
            return atMost;
        }

        /** All zero. */
        long[] seen(int length) {
            if (seen.length < length) {
                seen = new long[length];
            }
            Arrays.fill(seen, 0, length, 0);
            return seen;
        }
    }

    /**
     * Begins an answer.
     *
     * @param knownNodes how many nodes the cluster has
     */
    public void begin(long atRevision, NodeNameTable nodeNames, int knownNodes, List<String> unknown) {
        revision = atRevision;
        names = nodeNames;
        nodes = knownNodes;
        unknownCandidates = unknown;
        words = NodeBits.words(nodeNames.limit());
        if (candidates.length < words) {
            candidates = new long[words];
            passed = new long[words];
            scores = new byte[words * 64];
        }
        askedPlan = null;
        Arrays.fill(takesOut, false);
        judged = false;
        scored = false;
        everyScore = false;
        bestCount = 0;
    }

    /**
     * Whether this is the answer to the same question at a state where nothing has moved that it rests on; if so, it is
     * of {@code atRevision} as well.
     *
     * @param state grows whenever anything moves that an answer to the plan can rest on
     */
    public boolean stands(PodPlan plan, Question question, long state, long atRevision) {
        if (askedPlan != plan || restedOn != state || !question.equals(asked)) {
            return false;
        }
        revision = atRevision;
        return true;
    }

    /** The answer is complete. */
    public void end(PodPlan plan, Question question, long state) {
        askedPlan = plan;
        asked = question;
        restedOn = state;
    }

    /** The slots that are judged; the passes start from all of them. */
    public void setCandidates(long[] slots) {
        judged = true;
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

    public int words() {
        return words;
    }

    /** How many nodes the cluster has. */
    int nodes() {
        return nodes;
    }

    /** Whether every node of the cluster carries the label of {@code topology}. */
    boolean everyNodeIn(Topology topology) {
        return topology.carrierCount() == nodes;
    }

    public long[] passed() {
        return passed;
    }

    /** Scores are worked out for every candidate; to be written over the first {@link #words} words. */
    byte[] beginScores() {
        scored = true;
        everyScore = true;
        return scores;
    }

    /** Scores are worked out for the best alone. */
    void beginBestScores() {
        scored = true;
    }

    /** Room for the best; their scores go to {@link #bestScores}. */
    int[] beginBest(int atMost) {
        int room = Math.min(atMost, words * 64);
        if (best.length < room) {
            best = new int[room];
            bestScores = new byte[room];
        }
        return best;
    }

    byte[] bestScores() {
        return bestScores;
    }

    void endBest(int count) {
        bestCount = count;
    }

    /** The engine's revision that the answer is of. */
    public long revision() {
        return revision;
    }

    /** The node table that indexes refer to. */
    public NodeNameTable names() {
        return Objects.requireNonNull(names);
    }

    /** Named candidates that the cluster does not have. */
    public List<String> unknownCandidates() {
        return unknownCandidates;
    }

    public boolean isCandidate(int index) {
        requireJudged();
        return index < words * 64 && NodeBits.get(candidates, index);
    }

    public boolean isPassed(int index) {
        requireJudged();
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
    public VerdictCode code(int index) {
        Reason reason = reason(index);
        return reason == null ? VerdictCode.SUCCESS : reason.code();
    }

    /** 0 to 100; 0 for what is no candidate, did not pass, is ignored or was not scored. */
    public int score(int index) {
        requireScores();
        return scored && index < words * 64 ? scores[index] : 0;
    }

    /** Whether the pod has soft constraints and scores were asked for. */
    public boolean isScored() {
        return scored;
    }

    public int candidateCount() {
        requireJudged();
        return NodeBits.cardinality(candidates, words);
    }

    public int passedCount() {
        requireJudged();
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

    /** The score of that node, 0 to 100; 0 where nothing was scored. */
    public int bestScore(int rank) {
        return scored ? bestScores[Objects.checkIndex(rank, bestCount)] : 0;
    }

    /** The bytes that {@link #copyPassed} and {@link #copyUnresolvable} write: one bit a node index. */
    public int bitSetBytes() {
        return (names().limit() + 7) >>> 3;
    }

    /** Writes the passed set, bit {@code i & 7} of byte {@code i >> 3}, to {@code target} from {@code at} on. */
    public void copyPassed(byte[] target, int at) {
        requireJudged();
        copy(passed, target, at);
    }

    /** Likewise the candidates that are UnschedulableAndUnresolvable. */
    public void copyUnresolvable(byte[] target, int at) {
        requireJudged();
        int length = bitSetBytes();
        for (int i = 0; i < length; i += Long.BYTES) {
            long word = 0;
            for (int r = 0; r < REASONS.length; r++) {
                if (takesOut[r]) {
                    word |= takenOut[r][i >>> 3];
                }
            }
            write(word, target, at + i, length - i);
        }
    }

    /** Writes one byte a node index, the score, to {@code target} from {@code at} on. */
    public void copyScores(byte[] target, int at) {
        requireScores();
        System.arraycopy(scores, 0, target, at, names().limit());
    }

    private void requireJudged() {
        if (!judged) {
            throw new IllegalStateException("only the best nodes were asked for (Question.Detail.BEST)");
        }
    }

    private void requireScores() {
        requireJudged();
        if (scored && !everyScore) {
            throw new IllegalStateException("only the best nodes' scores were asked for (Question.Detail.VERDICTS)");
        }
    }

    private void copy(long[] slots, byte[] target, int at) {
        int length = bitSetBytes();
        for (int i = 0; i < length; i += Long.BYTES) {
            write(slots[i >>> 3], target, at + i, length - i);
        }
    }

    /** Writes a word, lowest byte first, as far as there is room. */
    private static void write(long word, byte[] target, int at, int room) {
        if (room >= Long.BYTES) {
            BYTES.set(target, at, word);
            return;
        }
        for (int i = 0; i < room; i++) {
            target[at + i] = (byte) (word >>> (i << 3));
        }
    }
}
