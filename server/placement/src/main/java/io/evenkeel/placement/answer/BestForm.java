package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.PodAnswer;
import org.jspecify.annotations.Nullable;

/** Writes only the best nodes of an answer, by node index. */
final class BestForm implements ResponseForm {
    private static final int BYTES_AN_INDEX = 2;
    private static final int BYTES_OF_A_FLAG = 2;

    private final int best;

    /** @param best how many nodes are named at most */
    BestForm(int best) {
        this.best = best;
    }

    @Override
    public @Nullable Draft write(Answer answer, WireOutput out) {
        int count = answer.bestCount();
        out.flag(PodAnswer.SCORED_FIELD_NUMBER, answer.isScored());
        out.open(PodAnswer.PACKED_FIELD_NUMBER, (BYTES_AN_INDEX + 1) * count + BYTES_OF_A_FLAG);
        if (count > 0) {
            out.open(PackedAnswer.BEST_FIELD_NUMBER, BYTES_AN_INDEX * count);
            for (int rank = 0; rank < count; rank++) {
                out.varint(answer.best(rank));
            }
            out.close();
            if (answer.isScored()) {
                int at = out.bytes(PackedAnswer.BEST_SCORES_FIELD_NUMBER, count);
                for (int rank = 0; rank < count; rank++) {
                    out.array()[at + rank] = (byte) answer.bestScore(rank);
                }
            }
        }
        out.flag(PackedAnswer.BEST_ALONE_FIELD_NUMBER, true);
        out.close();
        return null;
    }

    @Override
    public long bytes(int nodes) {
        return (long) (BYTES_AN_INDEX + 1) * Math.min(best, nodes) + BYTES_OF_A_FLAG;
    }
}
