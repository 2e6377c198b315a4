package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.v1.BestAnswer;
import io.evenkeel.v1.PodAnswer;
import org.jspecify.annotations.Nullable;

/** Writes only the best nodes of an answer, as node indexes. */
final class BestForm implements ResponseForm {
    private static final int BYTES_OF_COUNTS = 4;

    private final int best;

    /** @param best the maximum number of nodes */
    BestForm(int best) {
        this.best = best;
    }

    @Override
    public @Nullable Draft write(Answer answer, int unjudged, WireOutput out) {
        int count = answer.bestCount();
        out.open(PodAnswer.BEST_FIELD_NUMBER, (BYTES_AN_INDEX + 1) * count + BYTES_OF_COUNTS);
        out.number(BestAnswer.HARD_CONSTRAINT_COUNT_FIELD_NUMBER, answer.hardConstraints());
        out.number(BestAnswer.SOFT_CONSTRAINT_COUNT_FIELD_NUMBER, answer.softConstraints());
        ResponseWriter.writeBest(BestAnswer.BEST_INDEXES_FIELD_NUMBER, answer, out);
        if (answer.isScored()) {
            int at = out.bytes(BestAnswer.BEST_SCORES_FIELD_NUMBER, count);
            for (int rank = 0; rank < count; rank++) {
                out.array()[at + rank] = (byte) answer.bestScore(rank);
            }
        }
        out.number(
                BestAnswer.UNKNOWN_CANDIDATE_COUNT_FIELD_NUMBER,
                answer.unknownCandidates().size());
        ResponseWriter.writeUnjudged(BestAnswer.UNJUDGED_FIELD_NUMBER, unjudged, out);
        out.close();
        return null;
    }

    @Override
    public long bytes(int nodes) {
        return (long) (BYTES_AN_INDEX + 1) * Math.min(best, nodes) + BYTES_OF_COUNTS;
    }
}
