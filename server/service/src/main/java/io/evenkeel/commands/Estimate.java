package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.cli.ManifestChoice;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.Objective;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code evenkeel estimate}: how many new nodes pending pods need. */
@Command(
        name = "estimate",
        description = {
            "Estimate how many new nodes of which groups pending pods need, and which node each pod goes to.",
            "",
            "First as many pods as possible are placed, on existing nodes too; then as few nodes as possible are added or,"
                    + " if a group has a price, the cheapest. The answer says whether this is proven to be the optimum, and"
                    + " why pods stay pending.",
            "",
            "-o json prints an evenkeel.v1.EstimateNodesResponse as protobuf JSON. With --pending, an index of pods counts"
                    + " kinds of equal pods, by the namespace and name of the first of each.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:there is an estimate, whether or not all pods are placed",
            "2:wrong usage, a file or a server that cannot be read, or a pod or template that is invalid"
        })
final class Estimate implements Callable<Integer> {
    @Option(
            names = "--group",
            required = true,
            paramLabel = "NAME=FILE[,max=N][,price=P]",
            converter = GroupOption.Converter.class,
            description =
                    "A group of nodes that can grow. The file has a Node, which each new node resembles, and the DaemonSets and"
                            + " Pods that each new node has from the start. At most max nodes are added (default: 1000). Can be repeated.")
    private List<GroupOption> groups = new ArrayList<>();

    @ArgGroup(multiplicity = "1")
    private Which which = new Which();

    /** The options that name the pods. */
    static final class Which {
        @Option(
                names = "--pod",
                paramLabel = "FILE",
                description = "The manifest of a pod or of a workload, as for explain. - is standard input.")
        private @Nullable String manifest;

        @Option(
                names = "--pending",
                description = "The pending pods of the cluster, except those of DaemonSets and those held by scheduling"
                        + " gates; with --cluster or --kube.")
        private boolean pending;
    }

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "How many such pods are pending; with --pod (default: 1).")
    private @Nullable Integer replicas;

    @Option(
            names = "--workload",
            paramLabel = "KIND/NAME",
            description = "The workload in the file of --pod, for instance Deployment/web; needed if it has several.")
    private @Nullable String workload;

    @Option(
            names = "--template-domains",
            description =
                    "Spread pods over the domains of all groups, even those without a node. Otherwise such a domain"
                            + " does not count, as for the scheduler, and one new zone may be enough.")
    private boolean templateDomains;

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    @Mixin
    private NamespaceOptions namespaces = new NamespaceOptions();

    Estimate() {}

    @Override
    public Integer call() throws IOException {
        checkUsage();
        EstimateNodesRequest.Builder request =
                EstimateNodesRequest.newBuilder().setTemplateDomainsCount(templateDomains);
        for (GroupOption group : groups) {
            request.addGroups(group.read(question::warn));
            if (group.price() > 0) {
                request.setObjective(Objective.OBJECTIVE_LEAST_COST);
            }
        }
        DefaultConstraints defaults = question.defaults();
        if (defaults != null) {
            request.setDefaults(defaults);
        }
        String file = which.manifest;
        PodManifest manifest = file == null
                ? null
                : new ManifestChoice(file, workload, namespaces.given())
                        .read(question::warn)
                        .orIn(namespaces.ofPods(question));
        ClusterContent content = new ClusterContent();
        String namespace = namespaces.inQuestion(question);
        return question.use(
                manifest == null ? namespace : manifest.pod().getMetadata().getNamespace(),
                object -> {
                    if (manifest == null) {
                        content.look(object);
                    }
                },
                cluster -> {
                    List<PodKinds.Kind> kinds =
                            manifest == null ? pending(content, namespace) : List.of(kind(cluster, manifest));
                    EstimateReport report = cluster.ask(client -> EstimateReport.of(client, request, kinds));
                    question.print(() -> report.text(question.rows()), () -> JsonText.of(report.response()));
                    return ExitCodes.OK;
                });
    }

    private void checkUsage() throws CommandFailure {
        if (which.pending && (replicas != null || workload != null)) {
            throw question.wrongUsage((replicas == null ? "--workload" : "--replicas") + " needs --pod");
        }
        if (replicas != null && replicas < 1) {
            throw question.wrongUsage("--replicas must be at least 1, was " + replicas);
        }
        if (workload != null && !workload.matches("[^/]+/[^/]*")) {
            throw question.wrongUsage("--workload must be KIND/NAME, was '" + workload + "'");
        }
        namespaces.check(question, which.pending ? "--pending" : null);
        question.check(which.manifest);
    }

    private PodKinds.Kind kind(AskedCluster cluster, PodManifest manifest) {
        PodManifest judged = manifest.withoutClashes(cluster.standIns());
        cluster.warnOfGaps(judged);
        return new PodKinds.Kind(
                PodWorkload.of(judged.pod()), PodKinds.common(judged.pod()), Objects.requireNonNullElse(replicas, 1));
    }

    private List<PodKinds.Kind> pending(ClusterContent content, @Nullable String namespace) throws CommandFailure {
        List<Pod> pods = content.pods().stream()
                .filter(pod -> pod.getSpec().getNodeName().isEmpty())
                .filter(pod -> pod.getSpec().getSchedulingGatesCount() == 0)
                .filter(pod ->
                        namespace == null || namespace.equals(pod.getMetadata().getNamespace()))
                .filter(pod -> !PodWorkload.of(pod).isBoundToNodes())
                .toList();
        if (pods.isEmpty()) {
            throw new CommandFailure("there is no pending pod in the namespaces that -n and -A choose");
        }
        return PodKinds.of(pods);
    }
}
