package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.constraint;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.Session;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.placement.Messages;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EstimateNodesResponse;
import io.evenkeel.v1.NewNodes;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodStep;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.UnplacedPods;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Makes random estimates, and makes their steps again in a session with the new nodes: Filter must admit each of them.
 * Daemon pods of new nodes often count, so that steps are corrected.
 */
final class EstimatedStepsTest {
    private static final int SEEDS = 16;

    @Test
    void filterAdmitsEachStep_alsoAfterCorrections() {
        int steps = 0;
        int corrected = 0;
        try (TestServer server = TestServer.start();
                PlacementClient client = RemotePlacement.over(server.channel, Duration.ofMinutes(5));
                ClusterFeed feed = client.feed()) {
            for (int seed = 0; seed < SEEDS; seed++) {
                RandomChoices dice = new RandomChoices(seed);
                // With other names than before, because the server remembers which objects were deleted.
                feed.snapshot(cluster(dice, seed + "-").iterator());
                EstimateNodesResponse response = play(client, request(dice), "seed " + seed);
                steps += response.getStepsCount();
                corrected += response.getCorrectedStepCount();
            }
        }
        assertTrue(steps > 10 * SEEDS, "only " + steps + " steps");
        assertTrue(corrected > SEEDS, "only " + corrected + " steps were corrected");
    }

    private static EstimateNodesResponse play(PlacementClient client, EstimateNodesRequest request, String seed) {
        EstimateNodesResponse response = client.estimateNodes(request);
        int[] left =
                request.getPodsList().stream().mapToInt(PendingPods::getCount).toArray();
        try (Session session = client.openSession()) {
            addNodes(session, request, response);
            for (PodStep step : response.getStepsList()) {
                Pod pod = request.getPods(step.getPods()).getPod();
                assertEquals(1, passed(session, pod, step.getNode()), () -> seed + ": " + step + " of " + response);
                session.place(pod, step.getNode());
                left[step.getPods()]--;
            }
        }
        for (UnplacedPods unplaced : response.getUnplacedList()) {
            left[unplaced.getPods()] -= unplaced.getCount();
        }
        for (int pods : left) {
            assertEquals(0, pods, () -> seed + ": " + response);
        }
        return response;
    }

    private static void addNodes(Session session, EstimateNodesRequest request, EstimateNodesResponse response) {
        for (NewNodes added : response.getNewNodesList()) {
            NodeGroup group = request.getGroupsList().stream()
                    .filter(each -> each.getName().equals(added.getGroup()))
                    .findAny()
                    .orElseThrow();
            session.addNodes(AddNodes.newBuilder()
                    .setTemplate(group.getTemplate())
                    .addAllNames(added.getNamesList())
                    .addAllPods(group.getDaemonPodsList())
                    .build());
        }
    }

    private static int passed(Session session, Pod pod, String node) {
        Query query = Query.of(pod).among(CandidateNodes.fitting(CandidateNodes.named(node)));
        return session.filter(query.everyNode().toFilter())
                .getAnswers(0)
                .getReadable()
                .getPassedCount();
    }

    // ---- clusters and requests

    private static List<ClusterObject> cluster(RandomChoices dice, String prefix) {
        List<ClusterObject> objects = new ArrayList<>();
        int nodes = dice.between(1, 6);
        for (int i = 0; i < nodes; i++) {
            objects.add(object(roomy(Messages.node(prefix + "old-" + i, "z" + dice.below(3)), dice)));
        }
        for (int i = dice.below(8); i > 0; i--) {
            objects.add(object(sized(Messages.pod(prefix + "pod-" + i, prefix + "old-" + dice.below(nodes)), dice)));
        }
        return objects;
    }

    private static EstimateNodesRequest request(RandomChoices dice) {
        EstimateNodesRequest.Builder request =
                EstimateNodesRequest.newBuilder().setTemplateDomainsCount(dice.chance(0.5));
        for (int i = dice.between(1, 3); i > 0; i--) {
            NodeGroup.Builder group = NodeGroup.newBuilder()
                    .setName("new-" + i)
                    .setTemplate(roomy(Messages.node("", "z" + dice.below(4)), dice))
                    .setMaxCount(dice.pick(List.of(2, 8, 20)));
            if (dice.chance(0.5)) {
                group.addDaemonPods(sized(Messages.pod("agent", ""), dice));
            }
            request.addGroups(group);
        }
        for (int i = dice.between(1, 3); i > 0; i--) {
            request.addPods(PendingPods.newBuilder().setPod(pending(dice)).setCount(dice.pick(List.of(1, 6, 15, 30))));
        }
        return request.build();
    }

    private static Pod pending(RandomChoices dice) {
        List<TopologySpreadConstraint> constraints = new ArrayList<>();
        for (String key : List.of(ZONE, HOSTNAME)) {
            if (dice.chance(0.7)) {
                constraints.add(constraint(key, dice.between(1, 3), "DoNotSchedule"));
            }
        }
        Pod pod = sized(web(constraints.toArray(TopologySpreadConstraint[]::new)), dice);
        return dice.chance(0.7)
                ? pod
                : pod.toBuilder()
                        .setMetadata(pod.getMetadata().toBuilder().putLabels("app", "db"))
                        .build();
    }

    private static Node roomy(Node node, RandomChoices dice) {
        return node.toBuilder()
                .setStatus(NodeStatus.newBuilder()
                        .putAllocatable("cpu", StringValue.of(String.valueOf(dice.between(1, 8))))
                        .putAllocatable("pods", StringValue.of(String.valueOf(dice.between(2, 9)))))
                .build();
    }

    private static Pod sized(Pod pod, RandomChoices dice) {
        String cpu = dice.pick(List.of("100m", "500m", "1"));
        Container.Builder container = Container.newBuilder()
                .setName("main")
                .setResources(ResourceRequirements.newBuilder().putRequests("cpu", StringValue.of(cpu)));
        return pod.toBuilder()
                .setSpec(pod.getSpec().toBuilder().addContainers(container))
                .build();
    }
}
