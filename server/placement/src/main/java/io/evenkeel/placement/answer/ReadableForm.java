package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.ReadableAnswer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes an answer in readable form: node names and textual reasons. */
final class ReadableForm implements ResponseForm {
    private static final int BYTES_A_NODE = 128;

    /** The expected length of a message with a name. Lengths up to 127 are encoded in one byte. */
    private static final int SHORT = 64;

    private static final Reason[] REASONS = Reason.values();

    /** Marks a node that passed. Other nodes are marked with the index of their reason in {@link #REASONS}. */
    private static final byte PASSED = -1;

    private static final byte NO_CANDIDATE = -2;

    private final boolean everyNode;
    private final int best;

    /** @param best the maximum number of nodes */
    ReadableForm(boolean everyNode, int best) {
        this.everyNode = everyNode;
        this.best = best;
    }

    @Override
    public @Nullable Draft write(Answer answer, int unjudged, WireOutput out) {
        if (everyNode) {
            return everyNode(answer, unjudged);
        }
        out.open(PodAnswer.READABLE_FIELD_NUMBER, SHORT * (1 + answer.bestCount()));
        head(answer, unjudged, out);
        out.close();
        return null;
    }

    private static void head(Answer answer, int unjudged, WireOutput out) {
        out.number(ReadableAnswer.HARD_CONSTRAINT_COUNT_FIELD_NUMBER, answer.hardConstraints());
        out.number(ReadableAnswer.SOFT_CONSTRAINT_COUNT_FIELD_NUMBER, answer.softConstraints());
        out.number(ReadableAnswer.CANDIDATE_COUNT_FIELD_NUMBER, answer.candidateCount());
        out.number(ReadableAnswer.PASSED_COUNT_FIELD_NUMBER, answer.passedCount());
        for (int rank = 0; rank < answer.bestCount(); rank++) {
            int index = answer.best(rank);
            out.open(ReadableAnswer.BEST_FIELD_NUMBER, SHORT);
            out.text(NodeScore.NAME_FIELD_NUMBER, nameOf(index, answer.names()));
            out.number(NodeScore.INDEX_FIELD_NUMBER, index);
            out.number(NodeScore.SCORE_FIELD_NUMBER, answer.bestScore(rank));
            out.close();
        }
        NodeReasons excluded = new NodeReasons(answer);
        excluded.write(ReadableAnswer.REASONS_FIELD_NUMBER, out);
        if (answer.passedCount() == 0 || unjudged != 0) {
            out.text(ReadableAnswer.SUMMARY_FIELD_NUMBER, excluded.summary(unjudged));
        }
        out.number(ReadableAnswer.PODS_WITHOUT_REQUESTS_FIELD_NUMBER, answer.podsWithoutRequests());
        out.number(ReadableAnswer.NODES_WITHOUT_ALLOCATABLE_FIELD_NUMBER, answer.nodesWithoutAllocatable());
        out.number(
                ReadableAnswer.UNKNOWN_CANDIDATE_COUNT_FIELD_NUMBER,
                answer.unknownCandidates().size());
        ResponseWriter.writeUnjudged(ReadableAnswer.UNJUDGED_FIELD_NUMBER, unjudged, out);
    }

    private static Draft everyNode(Answer answer, int unjudged) {
        WireOutput head = new WireOutput();
        head(answer, unjudged, head);
        NodeNameTable names = answer.names();
        byte[] marks = new byte[names.limit()];
        String[] messages = new String[names.limit()];
        byte[] scores = new byte[names.limit()];
        answer.copyScores(scores, 0);
        boolean scored = answer.isScored();
        for (int index = 0; index < marks.length; index++) {
            Reason reason = answer.reason(index);
            messages[index] = answer.message(index);
            if (reason != null) {
                marks[index] = (byte) reason.ordinal();
            } else {
                marks[index] = answer.isPassed(index) ? PASSED : NO_CANDIDATE;
            }
        }
        return out -> {
            out.open(PodAnswer.READABLE_FIELD_NUMBER, SHORT * marks.length);
            out.append(head);
            for (int index = 0; index < marks.length; index++) {
                if (marks[index] != NO_CANDIDATE) {
                    out.open(ReadableAnswer.VERDICTS_FIELD_NUMBER, SHORT);
                    out.text(NodeVerdict.NAME_FIELD_NUMBER, nameOf(index, names));
                    out.number(NodeVerdict.INDEX_FIELD_NUMBER, index);
                    if (marks[index] == PASSED) {
                        out.number(NodeVerdict.CODE_FIELD_NUMBER, NodeCode.NODE_CODE_SUCCESS_VALUE);
                    } else {
                        Reason reason = REASONS[marks[index]];
                        out.number(
                                NodeVerdict.CODE_FIELD_NUMBER,
                                NodeReasons.code(reason.code()).getNumber());
                        out.number(
                                NodeVerdict.REASON_FIELD_NUMBER,
                                NodeReasons.of(reason).getNumber());
                        out.text(NodeVerdict.MESSAGE_FIELD_NUMBER, messages[index]);
                    }
                    out.number(NodeVerdict.SCORE_FIELD_NUMBER, scored ? scores[index] : 0);
                    out.close();
                }
            }
            out.close();
        };
    }

    private static byte[] nameOf(int index, NodeNameTable names) {
        return Objects.requireNonNull(names.encodedName(index));
    }

    @Override
    public long bytes(int nodes) {
        return (long) BYTES_A_NODE * (everyNode ? nodes : Math.min(best, nodes));
    }
}
