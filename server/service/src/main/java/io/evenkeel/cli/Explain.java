package io.evenkeel.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code evenkeel explain}. */
@Command(
        name = "explain",
        description = {
            "Say in full why a pod may go where it may: why is my pod pending?",
            "",
            "The first sentence is the one that kube-scheduler says of a pod that it cannot place. Then, for each constraint:"
                    + " its domains and what they hold, which would do and what shuts each one out, and the least maxSkew that"
                    + " would admit the pod. Then what is likely a mistake, the nodes, and what was not judged.",
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
