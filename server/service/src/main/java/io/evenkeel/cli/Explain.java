package io.evenkeel.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code evenkeel explain}: says in full why a pod may go where it may. */
@Command(
        name = "explain",
        description = {
            "Explain on which nodes a pod may go and why: why is my pod pending?",
            "",
            "The first sentence is the one that kube-scheduler gives for a pod that it cannot place. Then follow, for each"
                    + " constraint: its domains with their counts, which of them admit the pod and why the others do not, and the"
                    + " least maxSkew that would admit the pod. Then follow likely mistakes, the nodes, and what was not judged.",
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
