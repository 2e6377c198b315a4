package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.BestAnswer;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.PodAnswer;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class PackedVerdictsTest {
    private static PackedVerdicts read(PackedAnswer.Builder answer) {
        return read(PodAnswer.newBuilder().setPacked(answer));
    }

    private static PackedVerdicts read(BestAnswer.Builder answer) {
        return read(PodAnswer.newBuilder().setBest(answer));
    }

    private static PackedVerdicts read(PodAnswer.Builder answer) {
        return PackedAnswers.of(EvaluateResponse.newBuilder().addAnswers(answer).build())
                .pod(0);
    }

    @Test
    void verdicts_readAsTheBitSetsThatWerePacked() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int nodes = random.nextInt(200);
            int outOf = 1 + random.nextInt(40);
            BitSet passed = new BitSet();
            BitSet unresolvable = new BitSet();
            byte[] scores = new byte[nodes];
            for (int node = 0; node < nodes; node++) {
                if (random.nextInt(outOf) == 0) {
                    passed.set(node);
                    scores[node] = (byte) random.nextInt(101);
                } else if (random.nextBoolean()) {
                    unresolvable.set(node);
                }
            }
            PackedVerdicts verdicts = read(PackedAnswer.newBuilder()
                    .setPassed(ByteString.copyFrom(passed.toByteArray()))
                    .setUnresolvable(ByteString.copyFrom(unresolvable.toByteArray()))
                    .setScores(ByteString.copyFrom(scores)));
            for (int node = 0; node < nodes + 20; node++) {
                String where = "seed " + seed + ", round " + round + ", node " + node;
                assertEquals(passed.get(node), verdicts.passed(node), where);
                assertEquals(passed.nextSetBit(node), verdicts.nextPassed(node), where);
                assertEquals(node < nodes ? scores[node] : 0, verdicts.score(node), where);
                NodeCode code = passed.get(node)
                        ? NodeCode.NODE_CODE_SUCCESS
                        : unresolvable.get(node)
                                ? NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE
                                : NodeCode.NODE_CODE_UNSCHEDULABLE;
                assertEquals(code, verdicts.code(node), where);
            }
        }
    }

    @Test
    void unknownCandidates_areNamed_andCountedForEachPod() {
        PackedAnswers answers = PackedAnswers.of(EvaluateResponse.newBuilder()
                .addUnknownCandidates("node-x")
                .addAnswers(PodAnswer.newBuilder()
                        .setPacked(PackedAnswer.newBuilder().setUnknownCandidateCount(1)))
                .addAnswers(
                        PodAnswer.newBuilder().setBest(BestAnswer.newBuilder().setUnknownCandidateCount(1)))
                .build());
        assertEquals(List.of("node-x"), answers.unknownCandidates());
        assertEquals(1, answers.pod(0).unknownCandidateCount());
        assertEquals(1, answers.pod(1).unknownCandidateCount());
    }

    @Test
    void scores_areZero_whenThePodHasNoSoftConstraint() {
        PackedVerdicts verdicts = read(PackedAnswer.newBuilder()
                .setHardConstraintCount(2)
                .setPassed(ByteString.copyFrom(new byte[] {(byte) 0x81}))
                .addBestIndexes(7)
                .addBestIndexes(0));
        assertEquals(2, verdicts.hardConstraintCount());
        assertEquals(0, verdicts.softConstraintCount());
        assertEquals(0, verdicts.score(7));
        assertEquals(List.of(7, 0), verdicts.best());
        assertTrue(verdicts.passed(7));
        assertThrows(IndexOutOfBoundsException.class, () -> verdicts.nextPassed(-1));
    }

    @Test
    void bestAlone_haveScores_andNothingIsSaidOfOtherNodes() {
        PackedVerdicts scored = read(BestAnswer.newBuilder()
                .setSoftConstraintCount(1)
                .addBestIndexes(9)
                .addBestIndexes(2)
                .setBestScores(ByteString.copyFrom(new byte[] {100, 83})));
        assertEquals(0, scored.hardConstraintCount());
        assertEquals(1, scored.softConstraintCount());
        assertEquals(List.of(9, 2), scored.best());
        assertEquals(100, scored.bestScore(0));
        assertEquals(83, scored.bestScore(1));
        assertThrows(IllegalStateException.class, () -> scored.passed(9));
        assertThrows(IllegalStateException.class, () -> scored.code(9));
        assertThrows(IllegalStateException.class, () -> scored.score(9));
        assertThrows(IllegalStateException.class, () -> scored.nextPassed(0));
        PackedVerdicts unscored = read(BestAnswer.newBuilder().addBestIndexes(9));
        assertEquals(0, unscored.bestScore(0));
        PackedVerdicts packed = read(PackedAnswer.newBuilder()
                .setPassed(ByteString.copyFrom(new byte[] {2}))
                .setScores(ByteString.copyFrom(new byte[] {0, 71}))
                .addBestIndexes(1));
        assertEquals(71, packed.bestScore(0));
    }

    @Test
    void onePod_throwsWhatIsWrongWithIt_andTheOthersAreRead() {
        PackedAnswers answers = PackedAnswers.of(EvaluateResponse.newBuilder()
                .addAnswers(PodAnswer.newBuilder()
                        .setError(ItemError.newBuilder()
                                .setCode(3)
                                .setReason(ErrorReason.ERROR_REASON_INVALID_FIELD)
                                .setMessage("maxSkew must be at least 1, was 0")))
                .addAnswers(PodAnswer.newBuilder().setPacked(PackedAnswer.getDefaultInstance()))
                .addAnswers(PodAnswer.getDefaultInstance())
                .build());
        assertEquals(3, answers.size());
        PlacementException failure = assertThrows(PlacementException.class, () -> answers.pod(0));
        assertEquals(ErrorCode.INVALID_ARGUMENT, failure.code());
        assertEquals(ErrorReason.ERROR_REASON_INVALID_FIELD, failure.reason());
        assertEquals(-1, answers.pod(1).nextPassed(0));
        assertThrows(IllegalArgumentException.class, () -> answers.pod(2));
    }
}
