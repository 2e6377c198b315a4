package io.evenkeel.placement;

import io.evenkeel.engine.Answer;
import io.evenkeel.engine.NodeNames;
import io.evenkeel.engine.Reason;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.ReasonCount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Names and words. */
final class ReadableForm implements AnswerForm {
    private static final int BYTES_A_NODE = 128;
    private static final Reason[] REASONS = Reason.values();

    /** Marks of nodes, beside a reason's place in {@link #REASONS}. */
    private static final byte PASSED = -1;

    private static final byte NO_CANDIDATE = -2;

    private final boolean everyNode;
    private final int best;

    /** @param best how many nodes are named at most */
    ReadableForm(boolean everyNode, int best) {
        this.everyNode = everyNode;
        this.best = best;
    }

    @Override
    public Draft draft(Answer answer) {
        PodAnswer.Builder written = PodAnswer.newBuilder()
                .setCandidates(answer.candidateCount())
                .setPassed(answer.passedCount())
                .setScored(answer.isScored());
        for (int rank = 0; rank < answer.bestCount(); rank++) {
            int index = answer.best(rank);
            written.addBest(NodeScore.newBuilder()
                    .setName(nameOf(index, answer.names()))
                    .setIndex(index)
                    .setScore(answer.score(index)));
        }
        written.addAllReasons(reasons(answer));
        return everyNode ? withEveryNode(answer, written) : written::build;
    }

    private static List<ReasonCount> reasons(Answer answer) {
        List<ReasonCount> counts = new ArrayList<>();
        for (Reason reason : REASONS) {
            int nodes = answer.takenOutBy(reason);
            if (nodes > 0) {
                counts.add(ReasonCount.newBuilder()
                        .setReason(reason.text())
                        .setNodes(nodes)
                        .build());
            }
        }
        // Stable: equal counts stay in the order of the rules.
        counts.sort(Comparator.comparingInt(ReasonCount::getNodes).reversed());
        return counts;
    }

    private static Draft withEveryNode(Answer answer, PodAnswer.Builder written) {
        NodeNames names = answer.names();
        byte[] marks = new byte[names.limit()];
        byte[] scores = new byte[names.limit()];
        answer.copyScores(scores, 0);
        boolean scored = answer.isScored();
        for (int index = 0; index < marks.length; index++) {
            Reason reason = answer.reason(index);
            if (reason != null) {
                marks[index] = (byte) reason.ordinal();
            } else {
                marks[index] = answer.isPassed(index) ? PASSED : NO_CANDIDATE;
            }
        }
        return () -> {
            for (int index = 0; index < marks.length; index++) {
                if (marks[index] != NO_CANDIDATE) {
                    NodeVerdict.Builder verdict = written.addNodesBuilder()
                            .setName(nameOf(index, names))
                            .setIndex(index)
                            .setScore(scored ? scores[index] : 0);
                    if (marks[index] != PASSED) {
                        Reason reason = REASONS[marks[index]];
                        verdict.setCode(NodeCodes.of(reason.code())).setReason(reason.text());
                    }
                }
            }
            return written.build();
        };
    }

    private static String nameOf(int index, NodeNames names) {
        return Objects.requireNonNull(names.name(index));
    }

    @Override
    public long bytes(int nodes) {
        return (long) BYTES_A_NODE * (everyNode ? nodes : Math.min(best, nodes));
    }
}
