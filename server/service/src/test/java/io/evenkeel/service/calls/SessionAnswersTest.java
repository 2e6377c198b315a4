package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.constraint;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.StringValue;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.NodeTable;
import io.evenkeel.client.PackedAnswers;
import io.evenkeel.client.PackedVerdicts;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementQueries;
import io.evenkeel.client.Query;
import io.evenkeel.client.Session;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.placement.Messages;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ChangeNode;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.TaintList;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Makes random operations in a session, while the live cluster changes, and compares all forms of answers with those of
 * a server that was fed the session's cluster.
 */
final class SessionAnswersTest {
    private static final int SEEDS = 4;
    private static final int ROUNDS = 4;
    private static final int OPERATIONS = 12;

    private static final List<Pod> ASKED = List.of(
            sized(web(constraint(ZONE, 1, "DoNotSchedule"), constraint(HOSTNAME, 2, "DoNotSchedule"))),
            sized(web(soft(ZONE), soft(HOSTNAME))),
            sized(web(constraint(ZONE, 2, "DoNotSchedule"), soft(HOSTNAME))));

    private static Pod sized(Pod pod) {
        return pod.toBuilder()
                .setSpec(pod.getSpec().toBuilder()
                        .addContainers(Container.newBuilder()
                                .setResources(
                                        ResourceRequirements.newBuilder().putRequests("cpu", StringValue.of("1")))))
                .build();
    }

    /** The cluster that a session should have. */
    private static final class Model {
        private Map<String, Node> nodes = new LinkedHashMap<>();
        private Map<String, Pod> pods = new LinkedHashMap<>();
        private final Deque<Map<String, Node>> nodesAtForks = new ArrayDeque<>();
        private final Deque<Map<String, Pod>> podsAtForks = new ArrayDeque<>();

        List<ClusterObject> objects() {
            List<ClusterObject> objects = new ArrayList<>();
            nodes.values().forEach(node -> objects.add(object(node)));
            pods.values().forEach(pod -> objects.add(object(pod)));
            return objects;
        }
    }

    private final Model model = new Model();
    private int made;

    private static Node node(String name, RandomChoices dice) {
        Node.Builder node = Messages.node(name, "zone-" + dice.below(3)).toBuilder();
        node.getStatusBuilder()
                .putAllocatable("cpu", StringValue.of(String.valueOf(dice.between(2, 5))))
                .putAllocatable("pods", StringValue.of("20"));
        return node.build();
    }

    private Pod pod(String node) {
        return sized(Messages.pod("p" + ++made, node));
    }

    @Test
    void answers_areThoseOfAServer_thatWasFedTheSessionsCluster() {
        for (int seed = 0; seed < SEEDS; seed++) {
            play(new RandomChoices(seed), "seed " + seed);
        }
    }

    private void play(RandomChoices dice, String place) {
        model.nodes = new LinkedHashMap<>();
        model.pods = new LinkedHashMap<>();
        model.nodesAtForks.clear();
        model.podsAtForks.clear();
        for (int i = 0; i < 6; i++) {
            model.nodes.put("n" + i, node("n" + i, dice));
        }
        for (int i = 0; i < 10; i++) {
            Pod pod = pod(i == 0 ? "" : "n" + dice.below(6));
            model.pods.put(pod.getMetadata().getUid(), pod);
        }
        try (TestServer live = TestServer.start();
                PlacementClient client = connect(live)) {
            client.apply(Messages.apply(model.objects()));
            try (Session session = client.openSession()) {
                for (int round = 0; round < ROUNDS; round++) {
                    StringBuilder operations = new StringBuilder(place + ", round " + round + ":");
                    for (int i = 0; i < OPERATIONS; i++) {
                        operations.append(' ').append(change(session, dice));
                        client.apply(ApplyRequest.newBuilder()
                                .addEvents(added(object(Messages.pod("live" + ++made, "n" + dice.below(6)))))
                                .build());
                    }
                    compare(client, session, operations.toString());
                }
            }
        }
    }

    private static PlacementClient connect(TestServer server) {
        return RemotePlacement.over(server.channel, Duration.ofMinutes(5));
    }

    private String change(Session session, RandomChoices dice) {
        List<String> nodes = List.copyOf(model.nodes.keySet());
        List<String> pods = List.copyOf(model.pods.keySet());
        switch (dice.below(10)) {
            case 0 -> {
                Node template = node("t", dice);
                List<String> names = session.addNodes(AddNodes.newBuilder()
                        .setTemplate(template)
                        .setNamePrefix("new-")
                        .setCount(2)
                        .addPods(sized(Messages.pod("agent" + ++made, "")))
                        .build());
                for (String name : names) {
                    Node.Builder added = template.toBuilder();
                    added.getMetadataBuilder()
                            .setName(name)
                            .setUid("added-" + name + made)
                            .putLabels(HOSTNAME, name);
                    model.nodes.put(name, added.build());
                    Pod.Builder agent = sized(Messages.pod("agent" + made + "-" + name, name)).toBuilder();
                    // The session makes up another UID, so the pod is only removed with its node.
                    model.pods.put("agent" + made + "-" + name, agent.build());
                }
                return "add";
            }
            case 1 -> {
                if (nodes.size() < 3) {
                    return "";
                }
                String name = dice.pick(nodes);
                session.removeNode(name);
                model.nodes.remove(name);
                model.pods.values().removeIf(pod -> pod.getSpec().getNodeName().equals(name));
                return "remove " + name;
            }
            case 2 -> {
                changeNode(session, dice.pick(nodes), dice);
                return "change";
            }
            case 3, 4, 5 -> {
                String node = dice.pick(nodes);
                Pod pod = pod(node);
                session.place(pod, node);
                model.pods.put(pod.getMetadata().getUid(), pod);
                return "place " + node;
            }
            case 6 -> {
                if (pods.isEmpty()) {
                    return "";
                }
                String pod = dice.pick(pods);
                String node = dice.chance(0.2) ? "" : dice.pick(nodes);
                session.move(reference(pod), node);
                Pod.Builder moved = Objects.requireNonNull(model.pods.get(pod)).toBuilder();
                moved.getSpecBuilder().setNodeName(node);
                model.pods.put(pod, moved.build());
                return "move " + pod + " " + node;
            }
            case 7 -> {
                if (pods.isEmpty()) {
                    return "";
                }
                String pod = dice.pick(pods);
                session.remove(reference(pod));
                model.pods.remove(pod);
                return "delete " + pod;
            }
            case 8 -> {
                session.fork();
                model.nodesAtForks.push(new LinkedHashMap<>(model.nodes));
                model.podsAtForks.push(new LinkedHashMap<>(model.pods));
                return "fork";
            }
            default -> {
                if (model.nodesAtForks.isEmpty()) {
                    return "";
                }
                Map<String, Node> nodesBefore = model.nodesAtForks.pop();
                Map<String, Pod> podsBefore = model.podsAtForks.pop();
                if (dice.chance(0.5)) {
                    session.commit();
                    return "commit";
                }
                session.revert();
                model.nodes = nodesBefore;
                model.pods = podsBefore;
                return "revert";
            }
        }
    }

    private static PodReference reference(String name) {
        return PodReference.newBuilder()
                .setNamespace(Messages.NAMESPACE)
                .setName(name)
                .build();
    }

    private void changeNode(Session session, String name, RandomChoices dice) {
        boolean cordon = dice.chance(0.3);
        String zone = "zone-" + dice.below(4);
        ChangeNode.Builder change = ChangeNode.newBuilder()
                .setNode(name)
                .setUnschedulable(cordon)
                .putSetLabels(ZONE, zone)
                .addRemoveLabels("gone")
                .setTaints(TaintList.getDefaultInstance());
        Node.Builder node = Objects.requireNonNull(model.nodes.get(name)).toBuilder();
        node.getMetadataBuilder().putLabels(ZONE, zone);
        node.getSpecBuilder().setUnschedulable(cordon).clearTaints();
        if (dice.chance(0.3)) {
            Taint taint = Taint.newBuilder()
                    .setKey("k")
                    .setEffect(dice.chance(0.5) ? "NoSchedule" : "PreferNoSchedule")
                    .build();
            change.setTaints(TaintList.newBuilder().addTaints(taint));
            node.getSpecBuilder().addTaints(taint);
        }
        session.changeNode(change.build());
        model.nodes.put(name, node.build());
    }

    private void compare(PlacementClient client, Session session, String place) {
        try (TestServer fresh = TestServer.start();
                PlacementClient other = connect(fresh)) {
            other.apply(Messages.apply(model.objects()));
            for (Pod pod : ASKED) {
                for (Candidates candidates : List.of(CandidateNodes.all(), CandidateNodes.fitting())) {
                    Query query = Query.of(pod).among(candidates).best(100);
                    assertEquals(readable(other, query), readable(session, query), place);
                    assertEquals(packed(other, other, query), packed(client, session, query), place);
                    assertEquals(best(other, other, query), best(client, session, query), place);
                    ExplainRequest explain = ExplainRequest.newBuilder()
                            .setPod(pod)
                            .setCandidates(candidates)
                            .build();
                    assertEquals(normal(other.explain(explain)), normal(session.explain(explain)), place);
                }
                WhatIfRequest whatIf = WhatIfRequest.newBuilder()
                        .setPod(pod)
                        .addAllCases(model.nodes.keySet().stream()
                                .map(name ->
                                        WhatIfCase.newBuilder().setNode(name).build())
                                .toList())
                        .build();
                assertEquals(
                        other.whatIf(whatIf).getAnswersList(),
                        session.whatIf(whatIf).getAnswersList(),
                        place);
            }
        }
    }

    /** The answers without node indexes, which differ. */
    private static List<Object> readable(PlacementQueries asked, Query query) {
        ReadableAnswer answer =
                asked.evaluate(query.everyNode().toEvaluate()).getAnswers(0).getReadable();
        ReadableAnswer filtered =
                asked.filter(query.everyNode().toFilter()).getAnswers(0).getReadable();
        ReadableAnswer scored =
                asked.score(query.everyNode().toScore()).getAnswers(0).getReadable();
        return List.of(summary(answer), summary(filtered), summary(scored));
    }

    private static List<Object> summary(ReadableAnswer answer) {
        return List.of(
                new TreeSet<>(answer.getVerdictsList().stream()
                        .map(SessionAnswersTest::withoutIndex)
                        .toList()),
                new TreeSet<>(answer.getBestList().stream()
                        .map(SessionAnswersTest::withoutIndex)
                        .toList()),
                sorted(answer.getReasonsList()),
                answer.getSummary(),
                answer.getCandidateCount(),
                answer.getPassedCount());
    }

    private static String withoutIndex(NodeVerdict verdict) {
        return verdict.toBuilder().clearIndex().build().toString();
    }

    private static String withoutIndex(NodeScore score) {
        return score.toBuilder().clearIndex().build().toString();
    }

    private static List<String> sorted(List<ReasonCount> reasons) {
        return reasons.stream().map(ReasonCount::toString).sorted().toList();
    }

    private static Map<String, String> packed(PlacementClient client, PlacementQueries asked, Query query) {
        PackedAnswers answers = PackedAnswers.of(asked.evaluate(query.packed().toEvaluate()));
        NodeTable table = client.nodeTables().of(answers);
        PackedVerdicts verdicts = answers.pod(0);
        Map<String, String> byName = new TreeMap<>();
        for (int i = 0; i < table.size(); i++) {
            if (!table.name(i).isEmpty()) {
                byName.put(table.name(i), verdicts.code(i) + (verdicts.passed(i) ? " " + verdicts.score(i) : ""));
            }
        }
        byName.put("", sorted(verdicts.reasons()).toString());
        return byName;
    }

    private static Map<String, Integer> best(PlacementClient client, PlacementQueries asked, Query query) {
        PackedAnswers answers =
                PackedAnswers.of(asked.evaluate(query.bestAlone().toEvaluate()));
        NodeTable table = client.nodeTables().of(answers);
        Map<String, Integer> scores = new TreeMap<>();
        List<Integer> best = answers.pod(0).best();
        for (int i = 0; i < best.size(); i++) {
            scores.put(table.name(best.get(i)), answers.pod(0).bestScore(i));
        }
        return scores;
    }

    /** Without the revision, and with equal entries in a fixed order. */
    private static ExplainResponse normal(ExplainResponse response) {
        ExplainResponse.Builder normal = response.toBuilder().clearRevision();
        normal.getConstraintsBuilderList().forEach(SessionAnswersTest::sortDomains);
        return normal.build();
    }

    private static void sortDomains(ConstraintExplanation.Builder explained) {
        List<DomainExplanation> domains = new ArrayList<>(explained.getDomainsList());
        domains.sort(Comparator.comparing(DomainExplanation::getValue));
        explained.clearDomains().addAllDomains(domains);
    }
}
