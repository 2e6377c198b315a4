package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.PodAnswer;
import org.jspecify.annotations.Nullable;

/** Writes an answer in packed form: bit sets and bytes, indexed by node. */
final class PackedForm implements ResponseForm {
    private static final int BYTES_OF_COUNTS = 16;

    private final boolean withReasons;

    /** @param withReasons whether to write how many candidates each reason excludes */
    PackedForm(boolean withReasons) {
        this.withReasons = withReasons;
    }

    @Override
    public @Nullable Draft write(Answer answer, int unjudged, WireOutput out) {
        int set = answer.bitSetBytes();
        int scores = answer.isScored() ? answer.names().limit() : 0;
        int best = BYTES_AN_INDEX * answer.bestCount();
        out.open(PodAnswer.PACKED_FIELD_NUMBER, BYTES_OF_COUNTS + 2 * set + scores + best);
        out.number(PackedAnswer.HARD_CONSTRAINT_COUNT_FIELD_NUMBER, answer.hardConstraints());
        out.number(PackedAnswer.SOFT_CONSTRAINT_COUNT_FIELD_NUMBER, answer.softConstraints());
        out.number(PackedAnswer.CANDIDATE_COUNT_FIELD_NUMBER, answer.candidateCount());
        out.number(PackedAnswer.PASSED_COUNT_FIELD_NUMBER, answer.passedCount());
        int at = out.bytes(PackedAnswer.PASSED_FIELD_NUMBER, set);
        answer.copyPassed(out.array(), at);
        at = out.bytes(PackedAnswer.UNRESOLVABLE_FIELD_NUMBER, set);
        answer.copyUnresolvable(out.array(), at);
        if (answer.isScored()) {
            at = out.bytes(PackedAnswer.SCORES_FIELD_NUMBER, scores);
            answer.copyScores(out.array(), at);
        }
        ResponseWriter.writeBest(PackedAnswer.BEST_INDEXES_FIELD_NUMBER, answer, out);
        if (withReasons) {
            new NodeReasons(answer).write(PackedAnswer.REASONS_FIELD_NUMBER, out);
            out.number(PackedAnswer.PODS_WITHOUT_REQUESTS_FIELD_NUMBER, answer.podsWithoutRequests());
            out.number(PackedAnswer.NODES_WITHOUT_ALLOCATABLE_FIELD_NUMBER, answer.nodesWithoutAllocatable());
        }
        out.number(
                PackedAnswer.UNKNOWN_CANDIDATE_COUNT_FIELD_NUMBER,
                answer.unknownCandidates().size());
        ResponseWriter.writeUnjudged(PackedAnswer.UNJUDGED_FIELD_NUMBER, unjudged, out);
        out.close();
        return null;
    }

    @Override
    public long bytes(int nodes) {
        return (long) nodes + nodes / 4;
    }
}
