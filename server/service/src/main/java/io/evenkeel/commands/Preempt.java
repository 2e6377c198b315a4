package io.evenkeel.commands;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.cli.ManifestChoice;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.PreemptionNode;
import io.evenkeel.v1.PreemptionOutcome;
import io.evenkeel.v1.PreemptionVictim;
import io.evenkeel.v1.ReasonCount;
import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code evenkeel preempt}: which pods would have to be removed so that a pod can be placed. */
@Command(
        name = "preempt",
        description = {
            "Show which pods of lower priority would have to be removed so that a pod that no node accepts can be placed."
                    + " Changes nothing.",
            "",
            "On each node, the pods are those that kube-scheduler's preemption would remove if it looked at all nodes. The"
                    + " nodes are in the order of its choice.",
            "",
            "-o json prints an evenkeel.v1.PreemptResponse as protobuf JSON.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:preemption helps on a node, or is not needed",
            "1:preemption does not help",
            "2:wrong usage, a file or a server that cannot be read, or a pod that does not exist or is invalid"
        })
final class Preempt implements Callable<Integer> {
    private static final int MAX_NODES = 100;

    @ArgGroup(multiplicity = "1")
    private Which which = new Which();

    /** The options that name the pod. */
    static final class Which {
        @Parameters(
                paramLabel = "[NAMESPACE/]NAME",
                description = "A pending pod of the cluster; with --cluster or --kube.")
        private @Nullable String name;

        @Option(
                names = "--pod",
                paramLabel = "FILE",
                description =
                        "A pod that does not exist yet: the manifest of a Pod or of a workload. - is standard input.")
        private @Nullable String manifest;
    }

    @Option(
            names = "--workload",
            paramLabel = "KIND/NAME",
            description = "The workload in the file of --pod; needed if the file has several.")
    private @Nullable String workload;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description =
                    "The namespace of the pod, if neither its name nor its manifest gives one (default: default; with --kube, that of"
                            + " the context).")
    private @Nullable String namespace;

    @Option(
            names = "--priority",
            paramLabel = "N",
            description =
                    "The priority of the pod, instead of its spec.priority. Needed for a manifest with a priorityClassName, whose"
                            + " value is not known here.")
    private @Nullable Integer priority;

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    private @Nullable Pod found;

    Preempt() {}

    @Override
    public Integer call() throws IOException {
        question.check(which.manifest);
        String name = which.name;
        if (name != null && question.asksServer()) {
            throw question.wrongUsage("a server does not list its pods: with --server, give a manifest in --pod");
        }
        if (workload != null && which.manifest == null) {
            throw question.wrongUsage("--workload needs --pod");
        }
        String in = Objects.requireNonNullElse(namespace, question.defaultNamespace());
        Pod given = which.manifest == null
                ? null
                : single(new ManifestChoice(which.manifest, workload, namespace).read(question::warn))
                        .orIn(in)
                        .pod();
        String wanted = name == null || name.contains("/") ? name : in + "/" + name;
        return question.use(null, object -> look(object, wanted), cluster -> {
            Pod pod = given == null ? found : given;
            if (pod == null) {
                throw new CommandFailure(Paragraphs.printable("the cluster has no pod " + wanted));
            }
            if (given == null && !isPending(pod)) {
                throw new CommandFailure(Paragraphs.printable("pod " + wanted + " is not pending"));
            }
            PreemptRequest.Builder request =
                    PreemptRequest.newBuilder().setPod(prioritized(pod)).setNodeLimit(MAX_NODES);
            DefaultConstraints defaults = question.defaults();
            if (defaults != null) {
                request.setDefaults(defaults);
            }
            PreemptResponse answer = cluster.ask(client -> client.preempt(request.build())).toBuilder()
                    .clearRevision()
                    .build();
            question.print(() -> text(answer), () -> JsonText.of(answer));
            return switch (answer.getOutcome()) {
                case PREEMPTION_OUTCOME_HELPFUL, PREEMPTION_OUTCOME_NOT_NEEDED -> ExitCodes.OK;
                default -> ExitCodes.NOT_WELL;
            };
        });
    }

    private static PodManifest single(PodManifest manifest) throws CommandFailure {
        if (manifest.kind().equals("DaemonSet")) {
            throw new CommandFailure(
                    "the controller of a DaemonSet creates a pod for each node: name one of its pending pods instead");
        }
        return manifest;
    }

    private static boolean isPending(Pod pod) {
        String phase = pod.getStatus().getPhase();
        return pod.getSpec().getNodeName().isEmpty()
                && !pod.getMetadata().hasDeletionTimestamp()
                && !phase.equals("Succeeded")
                && !phase.equals("Failed");
    }

    private void look(Message object, @Nullable String wanted) {
        if (object instanceof Pod pod
                && (pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName()).equals(wanted)) {
            found = pod;
        }
    }

    private Pod prioritized(Pod pod) {
        Integer given = priority;
        if (given == null) {
            return pod;
        }
        Pod.Builder prioritized = pod.toBuilder();
        prioritized.getSpecBuilder().setPriority(given);
        return prioritized.build();
    }

    private String text(PreemptResponse answer) {
        StringBuilder text = new StringBuilder();
        Paragraphs.append(text, 0, headline(answer));
        if (answer.getNodesCount() > 0) {
            if (answer.getDisruptionBudgetsUnknown()) {
                text.append("PodDisruptionBudgets are not known, so they are not respected.\n");
            }
            appendNodes(text, answer);
        }
        if (answer.getOutcome() == PreemptionOutcome.PREEMPTION_OUTCOME_HELPFUL) {
            appendOthers(text, answer);
        }
        UnplacedCauses.appendUnjudged(text, 0, answer.getUnjudgedList());
        return text.toString();
    }

    private static String headline(PreemptResponse answer) {
        return switch (answer.getOutcome()) {
            case PREEMPTION_OUTCOME_HELPFUL ->
                "Preemption helps on " + answer.getHelpfulNodeCount() + " of " + answer.getCandidateCount()
                        + " nodes. The best is " + answer.getNodes(0).getName() + ".";
            case PREEMPTION_OUTCOME_NOT_NEEDED ->
                "Preemption is not needed: " + answer.getAcceptingNodeCount() + " of " + answer.getCandidateCount()
                        + " nodes accept the pod.";
            default -> "preemption: " + answer.getSummary();
        };
    }

    private void appendNodes(StringBuilder text, PreemptResponse answer) {
        TextTable nodes = new TextTable(0)
                .left("NODE")
                .right("VICTIMS")
                .right("VIOLATIONS")
                .right("HIGHEST PRIORITY")
                .left("EARLIEST START");
        for (PreemptionNode node : answer.getNodesList()) {
            nodes.row(
                    node.getName(),
                    node.getVictimsCount(),
                    node.getBudgetViolationCount(),
                    node.getHighestPriority(),
                    time(node.hasEarliestStartTime(), node.getEarliestStartTime()));
        }
        text.append('\n');
        nodes.appendTo(text, question.rows());
        PreemptionNode best = answer.getNodes(0);
        text.append("\nVictims on ")
                .append(Paragraphs.printable(best.getName()))
                .append('\n');
        TextTable victims = new TextTable(2).left("POD").right("PRIORITY").left("START");
        for (PreemptionVictim victim : best.getVictimsList()) {
            PodReference pod = victim.getPod();
            victims.row(
                    pod.getNamespace() + "/" + pod.getName(),
                    victim.getPriority(),
                    time(victim.hasStartTime(), victim.getStartTime()));
        }
        victims.appendTo(text, question.rows());
    }

    private static void appendOthers(StringBuilder text, PreemptResponse answer) {
        TextTable others = new TextTable(2).right("NODES").left("WHY PREEMPTION DOES NOT HELP");
        boolean any = false;
        if (answer.getUnresolvableNodeCount() > 0) {
            others.row(answer.getUnresolvableNodeCount(), "excluded by a rule that removing pods cannot change");
            any = true;
        }
        if (answer.getWithoutVictimsNodeCount() > 0) {
            others.row(answer.getWithoutVictimsNodeCount(), "no pod of lower priority");
            any = true;
        }
        for (ReasonCount reason : answer.getStillExcludedList()) {
            others.row(reason.getNodeCount(), "without all pods of lower priority: " + reason.getMessage());
            any = true;
        }
        if (any) {
            text.append("\nOther nodes\n");
            others.appendTo(text);
        }
    }

    private static String time(boolean known, Timestamp time) {
        return known ? Instant.ofEpochSecond(time.getSeconds()).toString() : "not started";
    }
}
