package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.kube.WorkloadClient;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.RankedVictim;
import io.evenkeel.v1.WorkloadReference;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code evenkeel victims}: which pods to delete when a workload is scaled down. */
@Command(
        name = "victims",
        description = {
            "Show which pods of a workload to delete, in which order, so that the others stay as evenly spread as they can."
                    + " Deletes nothing.",
            "",
            "A ReplicaSet that is scaled down deletes pods that are not scheduled, not running or not ready first, and then"
                    + " those with the lowest deletion cost. With --annotate, the next pods get such costs, so that the"
                    + " ReplicaSet deletes them in this order when you scale it down.",
            "",
            "-o json prints the fields of an evenkeel.v1.RankVictimsResponse.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:done",
            "2:wrong usage, a cluster that cannot be read or changed, or a workload whose pods cannot be ranked"
        })
final class Victims implements Callable<Integer> {
    @Parameters(paramLabel = "KIND/NAME", description = "The workload, such as Deployment/web or ReplicaSet/web-6f.")
    private String name = "";

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "The namespace of the workload (default: default; with --kube, that of the context).")
    private @Nullable String namespace;

    @Option(names = "--by", paramLabel = "COUNT", description = "How many pods to delete.")
    private @Nullable Integer by;

    @Option(
            names = "--annotate",
            description = "Write " + DeletionOrder.COST
                    + " to these pods, from -COUNT to -1, and remove it from other pods that"
                    + " had it from this command. Costs that somebody else has written are kept. Needs --kube.")
    private boolean annotate;

    @Option(
            names = "--clear",
            description = "Remove the costs that --annotate has written to pods of the workload. Needs --kube.")
    private boolean clear;

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    Victims() {}

    @Override
    public Integer call() throws IOException {
        question.check(null);
        question.requireDefaultsOfServer();
        int slash = name.indexOf('/');
        if (slash < 1 || slash == name.length() - 1) {
            throw question.wrongUsage("the workload must be KIND/NAME, was " + Paragraphs.printable(name));
        }
        if (clear ? by != null || annotate : by == null || by < 1) {
            throw question.wrongUsage(
                    clear
                            ? "--clear cannot be combined with --by or --annotate"
                            : by == null ? "--by is missing" : "--by must be at least 1, was " + by);
        }
        if ((annotate || clear) && question.access() == null) {
            throw question.wrongUsage((clear ? "--clear" : "--annotate") + " needs --kube");
        }
        String kind = name.substring(0, slash);
        WorkloadReference workload = WorkloadReference.newBuilder()
                .setNamespace(Objects.requireNonNullElse(namespace, question.defaultNamespace()))
                .setKind(
                        kind.equalsIgnoreCase("Rollout")
                                ? "Rollout"
                                : Objects.requireNonNullElse(WorkloadClient.kindCalled(kind), kind))
                .setName(name.substring(slash + 1))
                .build();
        List<Pod> pods = new ArrayList<>();
        return question.use(
                workload.getNamespace(),
                object -> {
                    if (object instanceof Pod pod && isOf(workload, pod)) {
                        pods.add(pod);
                    }
                },
                cluster -> {
                    if (clear) {
                        clear(pods);
                    } else {
                        rank(cluster, workload, pods);
                    }
                    return ExitCodes.OK;
                });
    }

    private void clear(List<Pod> pods) throws IOException {
        try (DeletionCosts costs = new DeletionCosts(Objects.requireNonNull(question.access()))) {
            int cleared = costs.clear(pods);
            question.print(
                    () -> "Removed the deletion costs of " + pods(cleared) + ".\n",
                    () -> JsonText.of(Map.of("cleared", cleared)));
        }
    }

    private void rank(AskedCluster cluster, WorkloadReference workload, List<Pod> pods) throws IOException {
        int count = Objects.requireNonNull(by);
        RankVictimsResponse answer = cluster.ask(client -> client.rankVictims(RankVictimsRequest.newBuilder()
                .setWorkload(workload)
                .setCount(count)
                .addAllStages(ReplicaState.stages(pods))
                .build()));
        if (count > answer.getPodCount()) {
            throw new CommandFailure("--by must be at most " + answer.getPodCount() + ", the number of pods of "
                    + answer.getController().getKind() + " "
                    + Paragraphs.printable(answer.getController().getName()) + ", was " + count);
        }
        Map<String, Pod> known = pods.stream()
                .collect(Collectors.toMap(pod -> pod.getMetadata().getUid(), Function.identity(), (a, b) -> b));
        int written = annotate ? annotate(answer, known) : 0;
        VictimsText text = new VictimsText(question.rows(), known, question.asksServer());
        question.print(
                () -> text.of(answer)
                        + (annotate
                                ? "\nWrote deletion costs to " + pods(written) + ". Scale down by " + count
                                        + " now; afterwards, or if you do not, remove what is left with --clear.\n"
                                : ""),
                () -> JsonText.of(new TreeMap<>(Map.of(
                        "controller", answer.getController(),
                        "podCount", answer.getPodCount(),
                        "constraints", answer.getConstraintsList(),
                        "victims", answer.getVictimsList()))));
    }

    private int annotate(RankVictimsResponse answer, Map<String, Pod> known) throws IOException {
        List<Pod> all = known.values().stream()
                .filter(pod -> isControlledBy(answer.getController(), pod))
                .toList();
        List<Pod> victims = answer.getVictimsList().stream()
                .map(RankedVictim::getUid)
                .map(known::get)
                .filter(Objects::nonNull)
                .toList();
        if (victims.size() < answer.getVictimsCount()) {
            throw new CommandFailure("some of the victims were not among the pods that were read: repeat the command");
        }
        DeletionCosts.check(victims, all);
        try (DeletionCosts costs = new DeletionCosts(Objects.requireNonNull(question.access()))) {
            return costs.write(victims, all);
        }
    }

    private static boolean isOf(WorkloadReference workload, Pod pod) {
        PodWorkload its = PodWorkload.of(pod);
        return pod.getMetadata().getNamespace().equals(workload.getNamespace())
                && !pod.getMetadata().hasDeletionTimestamp()
                && (its.kind().equals(workload.getKind()) && its.name().equals(workload.getName())
                        || isControlledBy(workload, pod)
                        || isOfRollout(workload, pod));
    }

    private static boolean isOfRollout(WorkloadReference workload, Pod pod) {
        String hash = pod.getMetadata().getLabelsOrDefault("rollouts-pod-template-hash", "");
        return workload.getKind().equals("Rollout")
                && !hash.isEmpty()
                && isControlledBy(
                        workload.toBuilder()
                                .setKind("ReplicaSet")
                                .setName(workload.getName() + "-" + hash)
                                .build(),
                        pod);
    }

    private static boolean isControlledBy(WorkloadReference workload, Pod pod) {
        return pod.getMetadata().getOwnerReferencesList().stream()
                .filter(OwnerReference::getController)
                .anyMatch(owner -> owner.getKind().equals(workload.getKind())
                        && owner.getName().equals(workload.getName()));
    }

    private static String pods(int count) {
        return count + (count == 1 ? " pod" : " pods");
    }
}
