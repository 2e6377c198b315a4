package io.evenkeel.placement;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.evenkeel.engine.Answer;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.PodAnswer;

/** Bit sets and bytes by node index. */
final class PackedForm implements AnswerForm {
    @Override
    public Draft draft(Answer answer) {
        byte[] passed = new byte[answer.bitSetBytes()];
        answer.copyPassed(passed, 0);
        byte[] unresolvable = new byte[passed.length];
        answer.copyUnresolvable(unresolvable, 0);
        // The arrays are nobody else's: they need not be copied again.
        PackedAnswer.Builder packed = PackedAnswer.newBuilder()
                .setPassed(UnsafeByteOperations.unsafeWrap(passed))
                .setUnresolvable(UnsafeByteOperations.unsafeWrap(unresolvable));
        if (answer.isScored()) {
            packed.setScores(scores(answer));
        }
        for (int rank = 0; rank < answer.bestCount(); rank++) {
            packed.addBest(answer.best(rank));
        }
        PodAnswer.Builder written = PodAnswer.newBuilder()
                .setCandidates(answer.candidateCount())
                .setPassed(answer.passedCount())
                .setScored(answer.isScored())
                .setPacked(packed);
        return written::build;
    }

    private static ByteString scores(Answer answer) {
        byte[] scores = new byte[answer.names().limit()];
        answer.copyScores(scores, 0);
        return UnsafeByteOperations.unsafeWrap(scores);
    }

    @Override
    public long bytes(int nodes) {
        return (long) nodes + nodes / 4;
    }
}
