package io.evenkeel.cli;

import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeExplanation;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.PodAnswer;
import java.io.IOException;
import java.util.Comparator;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code evenkeel place}: says which nodes a pod may go to, best first. */
@Command(
        name = "place",
        description = {
            "Say which nodes a pod may go to, best first, and why not the others.",
            "",
            "-o json prints an evenkeel.v1.PodAnswer as protobuf JSON. \"best\" lists the available nodes, best first, and"
                    + " by name where scores are equal. \"nodes\" lists every node with its code and kube-scheduler's reason."
                    + " \"reasons\" says how many nodes each rule excludes.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {PodQuestion.ANSWERED, PodQuestion.NOT_DONE})
final class Place implements Callable<Integer> {
    @Mixin
    private PodQuestion question = new PodQuestion();

    Place() {}

    @Override
    public Integer call() throws IOException {
        question.answer(ExplainText::place, Place::podAnswer);
        return ExitCodes.OK;
    }

    private static PodAnswer podAnswer(ExplainResponse response) {
        PodAnswer.Builder answer = PodAnswer.newBuilder()
                .setCandidates(response.getNodes())
                .setPassed(response.getPassed())
                .setScored(
                        response.getConstraintsList().stream().anyMatch(constraint -> !ExplainText.isHard(constraint)))
                .addAllReasons(response.getReasonsList());
        response.getVerdictsList().stream()
                .filter(node -> node.getCode() == NodeCode.SUCCESS)
                .forEach(node -> answer.addBest(NodeScore.newBuilder()
                        .setName(node.getName())
                        .setIndex(node.getIndex())
                        .setScore(node.getScore())));
        response.getVerdictsList().stream()
                .sorted(Comparator.comparingInt(NodeExplanation::getIndex))
                .forEach(node -> answer.addNodes(NodeVerdict.newBuilder()
                        .setName(node.getName())
                        .setIndex(node.getIndex())
                        .setCode(node.getCode())
                        .setReason(node.getReason())
                        .setScore(node.getScore())));
        return answer.build();
    }
}
