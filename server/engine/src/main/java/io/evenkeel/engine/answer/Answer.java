package io.evenkeel.engine.answer;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PodPlan;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The answer about one pod, by node index. {@code SpreadEngine.evaluate} fills it, and it can be reused for other calls
 * without allocation. Not safe for use by several threads.
 *
 * <p>The passes write to its {@link AnswerDraft}, and do not know this class.
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
    private final KindVersions versions = new KindVersions();
    private boolean wantsVersions;

    /** The identity of the last call's plan, as long as its answer may still be valid. */
    private @Nullable Object askedPlan;

    private @Nullable Question asked;
    private long askedMoves;
    private int hardConstraints;
    private int softConstraints;
    private int podsWithoutRequests;
    private int nodesWithoutAllocatable;

    /**
     * Begins a new answer.
     *
     * @param knownNodes how many nodes the cluster has
     */
    void begin(NodeNameTable nodeNames, int knownNodes, List<String> unknown) {
        names = nodeNames;
        unknownCandidates = unknown;
        askedPlan = null;
        podsWithoutRequests = 0;
        nodesWithoutAllocatable = 0;
        draft.begin(knownNodes, NodeBits.words(nodeNames.limit()));
    }

    /** Sets how many objects of the cluster were given without what NodeResourcesFit compares. */
    void countUnknown(int pods, int nodes) {
        podsWithoutRequests = pods;
        nodesWithoutAllocatable = nodes;
    }

    /** Sets the state from which the answer comes. */
    void restOn(long atRevision, KindVersions atVersions) {
        revision = atRevision;
        if (wantsVersions) {
            versions.copyFrom(atVersions);
        }
    }

    /** The draft to which the passes write. */
    AnswerDraft draft() {
        return draft;
    }

    /**
     * Whether this already answers the same question, and nothing that it depends on has changed.
     *
     * @param moves {@link PodPlan#moves} now
     */
    boolean isStillValid(PodPlan plan, Question question, long moves) {
        return askedPlan == plan.identity && askedMoves == moves && question.equals(asked);
    }

    /** Completes the answer. */
    void end(PodPlan plan, Question question, long moves) {
        askedPlan = plan.identity;
        asked = question;
        askedMoves = moves;
        hardConstraints = plan.hard.length;
        softConstraints = plan.soft.length;
    }

    /** Forgets the plan and the question, so that this is never mistaken for the answer to a later question. */
    void forgetQuestion() {
        askedPlan = null;
        asked = null;
    }

    /**
     * Drops references to the parts of the last plan, so that they can be freed once the plan is dropped. The answer
     * itself stays valid. Call it if the next question may not come for a long time.
     */
    public void releasePlan() {
        draft.scratch.cells.release();
    }

    /**
     * The nodes that passed, one bit for each index, in at least as many words as there are indexes for. The array must
     * not be changed.
     */
    public long[] passed() {
        verdicts.requireJudged();
        return verdicts.passed();
    }

    /** The engine's revision from which the answer comes. */
    public long revision() {
        return revision;
    }

    /** Sets whether {@link #versions} is filled from now on. */
    public void wantVersions(boolean wants) {
        wantsVersions = wants;
    }

    /**
     * How current the state behind the answer is for each kind of object. Meaningful only if {@link #wantVersions}
     * asked for it. The next answer overwrites it.
     */
    public KindVersions versions() {
        return versions;
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

    /** The first rule that excludes a candidate; null if it passed or is not a candidate. */
    public @Nullable Reason reason(int index) {
        return verdicts.reason(index);
    }

    /** The verdict on a candidate. */
    public VerdictCode code(int index) {
        Reason reason = reason(index);
        return reason == null ? VerdictCode.SUCCESS : reason.code();
    }

    /**
     * The score of a node, 0 to 100. It is 0 for a node that is not a candidate, did not pass, is ignored or was not
     * scored.
     */
    public int score(int index) {
        requireScores();
        return scores.get(index);
    }

    /** How many hard constraints are in force for the pod. */
    public int hardConstraints() {
        return hardConstraints;
    }

    /** How many soft constraints are in force for the pod. */
    public int softConstraints() {
        return softConstraints;
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

    /** How many candidates a rule is the first to exclude. */
    public int excludedBy(Reason reason) {
        return verdicts.excludedBy(reason);
    }

    /**
     * kube-scheduler's messages for the kinds of resources that candidates may lack, in its order: "Too many pods",
     * "Insufficient cpu". Empty if resources exclude no candidate.
     */
    public List<String> shortages() {
        return verdicts.shortages();
    }

    /** How many candidates resources are the first to exclude and lack the kind at this place of {@link #shortages}. */
    public int shortageCount(int kind) {
        return verdicts.lackingCount(kind);
    }

    /** Whether resources are the first to exclude a candidate, and it lacks the kind. */
    public boolean isShort(int index, int kind) {
        return verdicts.lacks(index, kind);
    }

    /** kube-scheduler's messages for a candidate, separated by commas; empty if it passed or is not a candidate. */
    public String message(int index) {
        Reason reason = reason(index);
        if (reason == null) {
            return "";
        }
        if (!reason.isOfResources()) {
            return reason.text();
        }
        StringJoiner messages = new StringJoiner(", ");
        List<String> all = shortages();
        for (int kind = 0; kind < all.size(); kind++) {
            if (isShort(index, kind)) {
                messages.add(all.get(kind));
            }
        }
        return messages.toString();
    }

    /** With rules FITTING, how many pods on known nodes were given without their containers. */
    public int podsWithoutRequests() {
        return podsWithoutRequests;
    }

    /** With rules FITTING, how many nodes were given without allocatable resources. */
    public int nodesWithoutAllocatable() {
        return nodesWithoutAllocatable;
    }

    /** How many best nodes the answer has. */
    public int bestCount() {
        return best.count();
    }

    /** The index of the node at {@code rank}; rank 0 is the best. Among equal scores the lower index comes first. */
    public int best(int rank) {
        return best.slot(rank);
    }

    /** The score of the node at {@code rank}, 0 to 100; 0 if nothing was scored. */
    public int bestScore(int rank) {
        return scores.isScored() ? best.score(rank) : 0;
    }

    /**
     * With {@link Question#top} and {@link PlanEvaluation#runStock}, all nodes that have the best score of those that
     * passed, one bit for each index, in at least as many words as there are indexes for. Without scores, these are all
     * that passed. The array must not be changed.
     */
    public long[] top() {
        return draft.top();
    }

    /** How many bytes {@link #copyPassed} and {@link #copyUnresolvable} write: one bit for each node index. */
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

    /** Writes the candidates that are UnschedulableAndUnresolvable, in the same way. */
    public void copyUnresolvable(byte[] target, int at) {
        verdicts.requireJudged();
        int length = bitSetBytes();
        for (int i = 0; i < length; i += Long.BYTES) {
            write(verdicts.unresolvable(i >>> 3), target, at + i, length - i);
        }
    }

    /** Writes the scores, one byte for each node index, to {@code target} from {@code at} on. */
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
