package io.evenkeel.engine;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.CrowdedGenerator;
import io.evenkeel.engine.script.ScriptTarget;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Messages;
import io.evenkeel.placement.Queries;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.EnterableNodes;
import io.evenkeel.v1.EntryRules;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FittingNodes;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The calls of an instance as a subject of scripts. Its answer objects come from a pool and were used for other queries
 * before. It knows the pods that {@link CrowdedGenerator} queries.
 */
final class PlacementSubject implements ScriptTarget {
    private final Instance instance = new Instance(InstanceOptions.standard());
    private final AtomicLong now = new AtomicLong();

    /** Ready immediately, because a node was added and deleted. */
    PlacementSubject() {
        instance.clusterState().apply(Messages.apply(Messages.zones(0)));
        instance.engine()
                .write(writer ->
                        writer.apply(Change.DELETED, new NodeObject("z1", "z1", 0, Map.of(), List.of(), false)));
    }

    @Override
    public void apply(Step step) {
        instance.engine().write(writer -> EngineSubject.apply(step, writer, now));
    }

    @Override
    public Answers ask(ScriptedQuery query) {
        Set<String> named = ((ScriptedQuery.Placement) query).candidates();
        Pod pod = message(query.pod());
        QueryOptions all = QueryOptions.newBuilder()
                .setEveryNode(true)
                .setDefaults(io.evenkeel.v1.DefaultConstraints.newBuilder()
                        .setType(io.evenkeel.v1.DefaultConstraints.Type.TYPE_SYSTEM))
                .setCandidates(candidates(named))
                .build();
        QueryOptions entering = all.toBuilder()
                .setCandidates(Candidates.newBuilder().setEnterable(EnterableNodes.getDefaultInstance()))
                .build();
        PodAnswer filtered = Queries.of(instance.placement())
                .prepare(FilterRequest.newBuilder().addPods(pod).setOptions(all).build())
                .answer()
                .getAnswers(0);
        PodAnswer scored = Queries.of(instance.placement())
                .prepare(ScoreRequest.newBuilder().addPods(pod).setOptions(all).build())
                .answer()
                .getAnswers(0);
        PodAnswer entered = evaluate(pod, entering);
        Map<String, Verdict> verdicts = new TreeMap<>();
        filtered.getReadable().getVerdictsList().forEach(node -> verdicts.put(node.getName(), verdict(node)));
        Map<String, Reason> shutOut = new TreeMap<>();
        for (NodeVerdict node : entered.getReadable().getVerdictsList()) {
            Reason reason = verdict(node).reason();
            boolean enters = reason == null || reason == Reason.MISSING_LABEL || reason == Reason.SKEW;
            if (reason != null && !enters && verdicts.containsKey(node.getName())) {
                shutOut.put(node.getName(), reason);
            }
        }
        return new Answers.Placement(
                verdicts,
                scores(evaluate(pod, all)),
                scores(scored),
                shutOut,
                named == null ? scores(entered) : null,
                fitting(evaluate(
                        pod, all.toBuilder().setCandidates(fitting(named)).build())));
    }

    private static Answers.Fitting fitting(PodAnswer answer) {
        ReadableAnswer readable = answer.getReadable();
        Map<String, Verdict> verdicts = new TreeMap<>();
        readable.getVerdictsList().forEach(node -> verdicts.put(node.getName(), verdict(node)));
        return new Answers.Fitting(
                verdicts, scores(answer), readable.getPodsWithoutRequests(), readable.getNodesWithoutAllocatable());
    }

    private PodAnswer evaluate(Pod pod, QueryOptions options) {
        return Queries.of(instance.placement())
                .prepare(EvaluateRequest.newBuilder()
                        .addPods(pod)
                        .setOptions(options)
                        .build())
                .answer()
                .getAnswers(0);
    }

    private static Candidates candidates(@Nullable Set<String> named) {
        return named == null
                ? Candidates.newBuilder().setAll(AllNodes.getDefaultInstance()).build()
                : Candidates.newBuilder()
                        .setNamed(NodeNames.newBuilder().addAllNames(named))
                        .build();
    }

    private static Candidates fitting(@Nullable Set<String> named) {
        return named == null
                ? Candidates.newBuilder()
                        .setFitting(FittingNodes.getDefaultInstance())
                        .build()
                : candidates(named).toBuilder()
                        .setRules(EntryRules.ENTRY_RULES_FITTING)
                        .build();
    }

    /** The scores of the nodes that passed. */
    static Map<String, Integer> scores(PodAnswer answer) {
        Map<String, Integer> scores = new TreeMap<>();
        for (NodeVerdict node : answer.getReadable().getVerdictsList()) {
            if (verdict(node).equals(Verdict.SUCCESS)) {
                scores.put(node.getName(), node.getScore());
            }
        }
        return scores;
    }

    static Verdict verdict(NodeVerdict node) {
        if (node.getCode() == NodeCode.NODE_CODE_SUCCESS) {
            return Verdict.SUCCESS;
        }
        return Verdict.failed(
                switch (node.getReason()) {
                    case NODE_REASON_NODE_NAMES ->
                        node.getMessage().equals(Reason.NODE_NAMES_CONFLICT.text())
                                ? Reason.NODE_NAMES_CONFLICT
                                : Reason.NOT_NAMED_BY_AFFINITY;
                    case NODE_REASON_UNSCHEDULABLE -> Reason.UNSCHEDULABLE;
                    case NODE_REASON_NODE_NAME -> Reason.NODE_NAME;
                    case NODE_REASON_UNTOLERATED_TAINT -> Reason.UNTOLERATED_TAINT;
                    case NODE_REASON_NODE_AFFINITY -> Reason.NODE_AFFINITY;
                    case NODE_REASON_HOST_PORTS -> Reason.HOST_PORTS;
                    case NODE_REASON_RESOURCES ->
                        node.getCode() == NodeCode.NODE_CODE_UNSCHEDULABLE
                                ? Reason.FREE_RESOURCES
                                : Reason.RESOURCES_OF_NODE;
                    case NODE_REASON_MISSING_LABEL -> Reason.MISSING_LABEL;
                    case NODE_REASON_MAX_SKEW -> Reason.SKEW;
                    case NODE_REASON_UNSPECIFIED, UNRECOGNIZED -> throw new AssertionError("no reason: " + node);
                },
                node.getMessage());
    }

    static Pod message(IncomingPod pod) {
        PodSpec.Builder spec = PodSpec.newBuilder().setNodeName(pod.nodeName());
        if (pod.requests().isKnown()) {
            spec.addContainers(container(pod.requests()));
        }
        pod.constraints().forEach(constraint -> spec.addTopologySpreadConstraints(message(constraint)));
        return Pod.newBuilder()
                .setMetadata(
                        ObjectMeta.newBuilder().setNamespace(pod.namespace()).putAllLabels(pod.labels()))
                .setSpec(spec)
                .build();
    }

    private static Container container(PodRequests requests) {
        Container.Builder container = Container.newBuilder().setName("c");
        for (PodRequests.Amount amount : requests.amounts()) {
            String unit = amount.resource().equals("cpu") ? "m" : "";
            container.getResourcesBuilder().putRequests(amount.resource(), StringValue.of(amount.amount() + unit));
        }
        requests.hostPorts()
                .forEach(port -> container.addPorts(ContainerPort.newBuilder()
                        .setHostIp(port.ip())
                        .setProtocol(port.protocol())
                        .setHostPort(port.port())));
        return container.build();
    }

    private static TopologySpreadConstraint message(SpreadConstraint constraint) {
        TopologySpreadConstraint.Builder message = TopologySpreadConstraint.newBuilder()
                .setMaxSkew(constraint.maxSkew())
                .setTopologyKey(constraint.topologyKey())
                .setWhenUnsatisfiable(constraint.hard() ? "DoNotSchedule" : "ScheduleAnyway")
                .setNodeAffinityPolicy(constraint.honorAffinity() ? "Honor" : "Ignore")
                .setNodeTaintsPolicy(constraint.honorTaints() ? "Honor" : "Ignore");
        if (constraint.minDomains() > 0) {
            message.setMinDomains(constraint.minDomains());
        }
        PodSelector selector = constraint.selector();
        if (selector != null) {
            message.setLabelSelector(io.evenkeel.v1.LabelSelector.newBuilder()
                    .addAllMatchExpressions(selector.requirements().stream()
                            .map(PlacementSubject::message)
                            .toList()));
        }
        return message.build();
    }

    private static LabelSelectorRequirement message(LabelRequirement requirement) {
        return LabelSelectorRequirement.newBuilder()
                .setKey(requirement.key())
                .setOperator(
                        switch (requirement.operator()) {
                            case IN -> "In";
                            case NOT_IN -> "NotIn";
                            case EXISTS -> "Exists";
                            case DOES_NOT_EXIST -> "DoesNotExist";
                        })
                .addAllValues(requirement.values())
                .build();
    }

    @Override
    public void validate() {
        IndexValidator.validate(instance.engine());
        instance.close();
    }
}
