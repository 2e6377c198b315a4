package io.evenkeel.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code evenkeel explain}: explains why nodes are available to a pod or not. */
@Command(
        name = "explain",
        description = {
            "Explain which nodes a pod can go to, and what excludes the others: why is my pod pending?",
            "",
            "The first line is the message of kube-scheduler for a pod that it cannot place. Below it, each"
                    + " constraint is listed with the pod counts of its domains, which domains admit the pod and why the others"
                    + " do not, and the lowest maxSkew that would admit the pod. Likely mistakes, the nodes, and what was not"
                    + " checked come last.",
            "",
            "-o json prints an evenkeel.v1.ExplainResponse as protobuf JSON, with every domain and every node.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {PodQuestion.ANSWERED, PodQuestion.NOT_DONE})
public final class Explain implements Callable<Integer> {
    @Mixin
    private PodQuestion question = new PodQuestion();

    Explain() {}

    @Override
    public Integer call() throws IOException {
        question.answer(ExplainText::explain, response -> response);
        return ExitCodes.OK;
    }
}
