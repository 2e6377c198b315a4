package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.ExplainText;
import io.evenkeel.cli.JsonText;
import io.evenkeel.cli.PodQuestion;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.manifest.RolloutStrategy;
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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
            "",
            "--replicas places that many more pods one after another, each counted before the next, and shows their nodes,"
                    + " how they are spread, and why others find no node. JSON then has the ScheduleResponse, the constraints"
                    + " afterwards and, if not all were placed, the PlaceGroupResponse for all of them.",
            "",
            "--rollout replaces the pods of a Deployment step by step, as far as its surge and maxUnavailable allow. New pods"
                    + " are ready as soon as they have a node; old ones end in the order of the ReplicaSet.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {PodQuestion.ANSWERED, PodQuestion.NOT_DONE})
final class Place implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private PodQuestion question = new PodQuestion();

    @Option(names = "--replicas", paramLabel = "N", description = "Place N more such pods. At most 100,000.")
    private @Nullable Integer replicas;

    @Option(
            names = "--rollout",
            description =
                    "Show the nodes of the Deployment's pods after its next rollout; with --cluster or --kube. With --pod, the"
                            + " manifest's template is rolled out; otherwise the Deployment's own, as by kubectl rollout restart.")
    private boolean rollout;

    @Mixin
    private RuleOption rule = new RuleOption();

    Place() {}

    @Override
    public Integer call() throws IOException {
        Integer count = replicas;
        if (count != null && (count < 1 || rollout)) {
            throw wrongUsage(
                    rollout
                            ? "--replicas and --rollout cannot be combined"
                            : "--replicas must be at least 1, was " + count);
        }
        if (rule.isGiven() && count == null && !rollout) {
            throw wrongUsage("--rule needs --replicas or --rollout");
        }
        if (rollout && question.asksServer()) {
            throw wrongUsage("--rollout needs --cluster or --kube: a server does not list its pods");
        }
        if (count != null || rollout) {
            try (Progress progress =
                    new Progress(spec.qualifiedName(), spec.commandLine().getErr())) {
                progress.begin("reading the cluster");
                ClusterContent content = new ClusterContent();
                question.use(
                        object -> {
                            if (rollout) {
                                content.look(object);
                            }
                        },
                        (cluster, subject) -> {
                            if (count != null && subject.kind().equals("DaemonSet")) {
                                throw new CommandFailure(
                                        "--replicas does not apply to a DaemonSet, whose controller chooses the nodes");
                            }
                            progress.begin("placing pods");
                            if (count != null) {
                                PlacedReplicas placed = cluster.ask(
                                        client -> PlacedReplicas.of(client, subject.pod(), count, rule.rule()));
                                question.print(() -> placed.text(question.rows()), () -> JsonText.of(placed.fields()));
                            } else {
                                Rollout.Report report = rollOut(cluster, subject, content);
                                question.print(() -> report.text(question.rows()), () -> JsonText.of(report.fields()));
                            }
                        });
            }
            return ExitCodes.OK;
        }
        question.answer(ExplainText::place, Place::answer);
        return ExitCodes.OK;
    }

    private Rollout.Report rollOut(AskedCluster cluster, PodManifest subject, ClusterContent content)
            throws CommandFailure {
        RolloutStrategy strategy = subject.rollout();
        if (strategy == null) {
            throw new CommandFailure("--rollout needs a Deployment, was " + subject.title());
        }
        return cluster.ask(client -> Rollout.of(client, subject, strategy, content.pods(), rule.rule()));
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
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
        int hard = (int) response.getConstraintsList().stream()
                .filter(ExplainText::isHard)
                .count();
        answer.setHardConstraintCount(hard).setSoftConstraintCount(response.getConstraintsCount() - hard);
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
