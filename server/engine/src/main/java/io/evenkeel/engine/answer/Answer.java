package io.evenkeel.engine.answer;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PodPlan;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer about one pod, by node index; filled by {@code SpreadEngine.evaluate} and reused from call to call without
 * allocation. Not safe for use by several threads.
 *
 * <p>The passes write to its {@link AnswerDraft}; they don't know this class.
 */
public final class Answer {
    private static final VarHandle BYTES = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final AnswerDraft draft = new AnswerDraft();
    private final Verdicts verdicts = draft.verdicts;
    private final NodeScores scores = draft.scores;
    private final BestNodes best = draft.best;
    private long revision;
    private @Nullable NodeNameTable names;
    private List<String> unknownCandidates = List.of();

    /** What the last call asked, and at which moves, while the answer stands. */
    private @Nullable PodPlan askedPlan;

    private @Nullable Question asked;
    private long askedMoves;

    /**
     * Begins an answer.
     *
     * @param knownNodes how many nodes the cluster has
     */
    void begin(long atRevision, NodeNameTable nodeNames, int knownNodes, List<String> unknown) {
        revision = atRevision;
        names = nodeNames;
        unknownCandidates = unknown;
        askedPlan = null;
        draft.begin(knownNodes, NodeBits.words(nodeNames.limit()));
    }

    /** For the passes. */
    AnswerDraft draft() {
        return draft;
    }

    /**
     * Whether this is the answer to the same question at a state where nothing has moved that it rests on; if so, it is
     * of {@code atRevision} as well.
     *
     * @param moves {@link PodPlan#moves} now
     */
    boolean stands(PodPlan plan, Question question, long moves, long atRevision) {
        if (askedPlan != plan || askedMoves != moves || !question.equals(asked)) {
            return false;
        }
        revision = atRevision;
        return true;
    }

    /** The answer is complete. */
    void end(PodPlan plan, Question question, long moves) {
        askedPlan = plan;
        asked = question;
        askedMoves = moves;
    }

    /** The nodes that passed, a bit an index, in at least as many words as the indexes take; not to be changed. */
    public long[] passed() {
        verdicts.requireJudged();
        return verdicts.passed();
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
        return verdicts.isCandidate(index);
    }

    public boolean isPassed(int index) {
        return verdicts.isPassed(index);
    }

    /** The first rule that takes a candidate out; null where it passed or is no candidate. */
    public @Nullable Reason reason(int index) {
        return verdicts.reason(index);
    }

    /** The verdict on a candidate. */
    public VerdictCode code(int index) {
        Reason reason = reason(index);
        return reason == null ? VerdictCode.SUCCESS : reason.code();
    }

    /** 0 to 100; 0 for what is no candidate, did not pass, is ignored or was not scored. */
    public int score(int index) {
        requireScores();
        return scores.get(index);
    }

    /** Whether the pod has soft constraints and scores were asked for. */
    public boolean isScored() {
        return scores.isScored();
    }

    public int candidateCount() {
        return verdicts.candidateCount();
    }

    public int passedCount() {
        return verdicts.passedCount();
    }

    /** How many candidates a rule was the first to take out. */
    public int takenOutBy(Reason reason) {
        return verdicts.takenOutBy(reason);
    }

    /** How many of the best nodes were picked out. */
    public int bestCount() {
        return best.count();
    }

    /** The index of the node in place {@code rank} (0 is the best); equal scores: the lower index first. */
    public int best(int rank) {
        return best.slot(rank);
    }

    /** The score of that node, 0 to 100; 0 where nothing was scored. */
    public int bestScore(int rank) {
        return scores.isScored() ? best.score(rank) : 0;
    }

    /** The bytes that {@link #copyPassed} and {@link #copyUnresolvable} write: one bit a node index. */
    public int bitSetBytes() {
        return (names().limit() + 7) >>> 3;
    }

    /** Writes the passed set, bit {@code i & 7} of byte {@code i >> 3}, to {@code target} from {@code at} on. */
    public void copyPassed(byte[] target, int at) {
        long[] slots = passed();
        int length = bitSetBytes();
        for (int i = 0; i < length; i += Long.BYTES) {
            write(slots[i >>> 3], target, at + i, length - i);
        }
    }

    /** Likewise the candidates that are UnschedulableAndUnresolvable. */
    public void copyUnresolvable(byte[] target, int at) {
        verdicts.requireJudged();
        int length = bitSetBytes();
        for (int i = 0; i < length; i += Long.BYTES) {
            write(verdicts.unresolvable(i >>> 3), target, at + i, length - i);
        }
    }

    /** Writes one byte a node index, the score, to {@code target} from {@code at} on. */
    public void copyScores(byte[] target, int at) {
        requireScores();
        scores.copy(names().limit(), target, at);
    }

    private void requireScores() {
        verdicts.requireJudged();
        if (!scores.isForEach()) {
            throw new IllegalStateException("only the best nodes' scores were asked for (Question.Detail.VERDICTS)");
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
