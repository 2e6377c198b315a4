package io.evenkeel.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code evenkeel explain}: explains why a pod may go to some nodes and not to others. */
@Command(
        name = "explain",
        description = {
            "Explain which nodes a pod may go to, and why not to the others: why is my pod pending?",
            "",
            "The first sentence is the one that kube-scheduler gives for a pod that it cannot place. Each"
                    + " constraint follows with the counts of its domains, which of them admit the pod and why the others"
                    + " do not, and the least maxSkew that would admit the pod. Likely mistakes, the nodes, and what was not"
                    + " judged come last.",
            "",
            "-o json prints an evenkeel.v1.ExplainResponse as protobuf JSON, with every domain and every node.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {PodQuestion.ANSWERED, PodQuestion.NOT_DONE})
final class Explain implements Callable<Integer> {
    @Mixin
    private PodQuestion question = new PodQuestion();

    Explain() {}

    @Override
    public Integer call() throws IOException {
        question.answer(ExplainText::explain, response -> response);
        return ExitCodes.OK;
    }
}
