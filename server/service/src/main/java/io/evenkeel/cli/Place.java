package io.evenkeel.cli;

import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeExplanation;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.Unjudged;
import java.io.IOException;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code evenkeel place}: lists the nodes that are available to a pod, best first. */
@Command(
        name = "place",
        description = {
            "List the nodes that a pod can go to, best first, and what excludes the others.",
            "",
            "-o json prints an evenkeel.v1.ReadableAnswer as protobuf JSON. \"best\" lists the available nodes, best first,"
                    + " and by name if scores are equal. \"verdicts\" lists every node with its code and kube-scheduler's"
                    + " reason; the index of a node is its position in that list."
                    + " \"reasons\" counts the nodes that each rule excludes.",
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
        question.answer(ExplainText::place, Place::answer);
        return ExitCodes.OK;
    }

    /** The answer in the form of Evaluate. The node table is the list of verdicts, sorted by name. */
    private static ReadableAnswer answer(ExplainResponse response) {
        ReadableAnswer.Builder answer = ReadableAnswer.newBuilder()
                .setCandidateCount(response.getCandidateCount())
                .setPassedCount(response.getPassedCount())
                .addAllReasons(response.getReasonsList())
                .setPodsWithoutRequests(response.getPodsWithoutRequests())
                .setNodesWithoutAllocatable(response.getNodesWithoutAllocatable());
        response.getUnjudgedList().stream().map(Unjudged::getRule).distinct().forEach(answer::addUnjudged);
        if (response.getPassedCount() == 0 || response.getUnjudgedRulesCount() > 0) {
            answer.setSummary(response.getSummary());
        }
        for (ConstraintExplanation constraint : response.getConstraintsList()) {
            if (ExplainText.isHard(constraint)) {
                answer.setHardConstraintCount(answer.getHardConstraintCount() + 1);
            } else {
                answer.setSoftConstraintCount(answer.getSoftConstraintCount() + 1);
            }
        }
        List<String> names = response.getVerdictsList().stream()
                .map(NodeExplanation::getName)
                .sorted()
                .toList();
        response.getVerdictsList().stream()
                .filter(node -> node.getCode() == NodeCode.NODE_CODE_SUCCESS)
                .forEach(node -> answer.addBest(NodeScore.newBuilder()
                        .setName(node.getName())
                        .setIndex(Collections.binarySearch(names, node.getName()))
                        .setScore(node.getScore())));
        response.getVerdictsList().stream()
                .sorted(Comparator.comparing(NodeExplanation::getName))
                .forEach(node -> answer.addVerdicts(NodeVerdict.newBuilder()
                        .setName(node.getName())
                        .setIndex(Collections.binarySearch(names, node.getName()))
                        .setCode(node.getCode())
                        .setReason(node.getReason())
                        .setMessage(node.getMessage())
                        .setScore(node.getScore())));
        return answer.build();
    }
}
