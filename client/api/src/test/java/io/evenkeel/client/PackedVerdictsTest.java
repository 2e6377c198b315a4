package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.rpc.Code;
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
        boolean scored =
                !answer.getScores().isEmpty() || !answer.getBestScores().isEmpty();
        return PackedAnswers.of(EvaluateResponse.newBuilder()
                        .addAnswers(PodAnswer.newBuilder().setPacked(answer).setScored(scored))
                        .build())
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
                        ? NodeCode.SUCCESS
                        : unresolvable.get(node) ? NodeCode.UNSCHEDULABLE_AND_UNRESOLVABLE : NodeCode.UNSCHEDULABLE;
                assertEquals(code, verdicts.code(node), where);
            }
        }
    }

    @Test
    void scores_areZero_whenThePodHasNoSoftConstraint() {
        PackedVerdicts verdicts = read(PackedAnswer.newBuilder()
                .setPassed(ByteString.copyFrom(new byte[] {(byte) 0x81}))
                .addBest(7)
                .addBest(0));
        assertFalse(verdicts.scored());
        assertEquals(0, verdicts.score(7));
        assertEquals(List.of(7, 0), verdicts.best());
        assertTrue(verdicts.passed(7));
        assertThrows(IndexOutOfBoundsException.class, () -> verdicts.nextPassed(-1));
    }

    @Test
    void bestAlone_haveScores_andNothingIsSaidOfOtherNodes() {
        PackedVerdicts scored = read(PackedAnswer.newBuilder()
                .setBestAlone(true)
                .addBest(9)
                .addBest(2)
                .setBestScores(ByteString.copyFrom(new byte[] {100, 83})));
        assertTrue(scored.scored());
        assertEquals(List.of(9, 2), scored.best());
        assertEquals(100, scored.bestScore(0));
        assertEquals(83, scored.bestScore(1));
        assertThrows(IllegalStateException.class, () -> scored.passed(9));
        assertThrows(IllegalStateException.class, () -> scored.code(9));
        assertThrows(IllegalStateException.class, () -> scored.score(9));
        assertThrows(IllegalStateException.class, () -> scored.nextPassed(0));
        PackedVerdicts unscored =
                read(PackedAnswer.newBuilder().setBestAlone(true).addBest(9));
        assertFalse(unscored.scored());
        assertEquals(0, unscored.bestScore(0));
        PackedVerdicts packed = read(PackedAnswer.newBuilder()
                .setPassed(ByteString.copyFrom(new byte[] {2}))
                .setScores(ByteString.copyFrom(new byte[] {0, 71}))
                .addBest(1));
        assertEquals(71, packed.bestScore(0));
    }

    @Test
    void onePod_throwsWhatIsWrongWithIt_andTheOthersAreRead() {
        PackedAnswers answers = PackedAnswers.of(EvaluateResponse.newBuilder()
                .addAnswers(PodAnswer.newBuilder()
                        .setError(ItemError.newBuilder().setCode(3).setMessage("maxSkew must be at least 1, was 0")))
                .addAnswers(PodAnswer.newBuilder().setPacked(PackedAnswer.getDefaultInstance()))
                .addAnswers(PodAnswer.getDefaultInstance())
                .build());
        assertEquals(3, answers.size());
        PlacementException failure = assertThrows(PlacementException.class, () -> answers.pod(0));
        assertEquals(Code.INVALID_ARGUMENT, failure.code());
        assertEquals(-1, answers.pod(1).nextPassed(0));
        assertThrows(IllegalArgumentException.class, () -> answers.pod(2));
    }
}
