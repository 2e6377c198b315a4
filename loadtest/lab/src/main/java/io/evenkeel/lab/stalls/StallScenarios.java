package io.evenkeel.lab.stalls;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The acts to measure, on an engine with {@code cluster}. Each leaves the cluster unchanged, except for the zones of
 * nodes.
 */
final class StallScenarios {
    private static final int SWEPT_PODS = 300_000;
    private static final int RELABELLED_NODES = 5_000;
    private static final int WHAT_IFS = 16;
    private static final int REMOVALS = 10_000;
    private static final int UNKNOWN_KINDS = 1_000;
    private static final int CONSTRAINTS = 64;
    private static final int ASSUMED_PODS = 50_000;
    private static final int ODD_PODS = 50_000;

    /** The shortest time to live, so that no assumption expires before all of them are made. */
    private static final int MIN_LIFETIME_MILLIS = 200;

    private static final int PODS_A_MILLI = 40;
    private static final int MILLIS_A_LOOK = 20;
    private static final int EVENTS_A_MESSAGE = 500;
    private static final int MESSAGES = 40;
    private static final String ZONE = "topology.kubernetes.io/zone";

    private final ClusterGenerator cluster;
    private final PlacementClient client;
    private final long nanosALoop;

    /** A counter that makes each new node, affinity and selector unique. */
    private int fresh;

    /** @param nanosALoop how long an act repeats small work */
    StallScenarios(ClusterGenerator cluster, PlacementClient client, long nanosALoop) {
        this.cluster = cluster;
        this.client = client;
        this.nanosALoop = nanosALoop;
    }

    List<StallScenario> all() {
        return List.of(
                loop("Explain of a placed pod", this::explain),
                loop("GetStatus", client::status),
                sweep(),
                relabels(),
                loop("first sight of an affinity", () -> ask(affine())),
                loop("first sight of tolerations", () -> ask(tolerant())),
                loop("first sight of a topology key", () -> ask(byNewKey())),
                loop("%d new constraints of a pod".formatted(CONSTRAINTS), () -> ask(byManyNewKeys())),
                loop("first sight of all pods of a namespace", () -> ask(ofNewKind(true))),
                whatIfs(),
                unknownKinds(),
                assumptions(),
                labelsOfTheirOwn(),
                steadyEvents());
    }

    private StallScenario loop(String name, Runnable once) {
        return new StallScenario(name, () -> {}, () -> {
            long begin = System.nanoTime();
            do {
                once.run();
            } while (System.nanoTime() - begin < nanosALoop);
        });
    }

    private void explain() {
        Pod placed = cluster.pod(fresh++ % cluster.shape().pods());
        ExplainRequest.Builder request =
                ExplainRequest.newBuilder().setPod(placed).setMaxVerdicts(10);
        request.getOverlayBuilder()
                .addWithoutBuilder()
                .setUid(placed.getMetadata().getUid());
        client.explain(request.build());
    }

    // ---- a snapshot without some of the pods

    private StallScenario sweep() {
        int gone = Math.min(SWEPT_PODS, cluster.shape().pods());
        ClusterFeed feed = client.feed();
        return new StallScenario(
                "END_SNAPSHOT removes %,d pods".formatted(gone),
                () -> {
                    for (int first = 0; first < gone; first += EVENTS_A_MESSAGE) {
                        apply(events(first, Math.min(gone, first + EVENTS_A_MESSAGE), ClusterEvent.Type.TYPE_ADDED));
                    }
                    feed.beginSnapshot().join();
                    Iterator<ClusterObject> objects = cluster.objects();
                    List<ClusterObject> message = new ArrayList<>();
                    int pods = 0;
                    while (objects.hasNext()) {
                        ClusterObject object = objects.next();
                        if (!object.hasPod() || pods++ >= gone) {
                            message.add(object);
                        }
                        if (message.size() == EVENTS_A_MESSAGE || !objects.hasNext()) {
                            feed.objects(message).join();
                            message.clear();
                        }
                    }
                },
                () -> {
                    int removed = feed.endSnapshot().join().getRemovedCount();
                    if (removed != gone) {
                        throw new IllegalStateException(
                                "the end of the snapshot must remove %d pods, removed %d".formatted(gone, removed));
                    }
                });
    }

    private ApplyRequest events(int from, int to, ClusterEvent.Type type) {
        ApplyRequest.Builder request = ApplyRequest.newBuilder();
        for (int pod = from; pod < to; pod++) {
            Pod.Builder changed = cluster.pod(pod).toBuilder();
            changed.getMetadataBuilder().clearResourceVersion();
            request.addEventsBuilder().setType(type).getObjectBuilder().setPod(changed);
        }
        return request.build();
    }

    private void apply(ApplyRequest events) {
        ApplyResponse response = client.apply(events);
        if (response.getRefusalsCount() > 0) {
            throw new IllegalStateException("the engine rejected " + response.getRefusals(0));
        }
    }

    // ---- nodes that move to another zone and back

    private StallScenario relabels() {
        int nodes = Math.min(RELABELLED_NODES, cluster.shape().nodes());
        ApplyRequest.Builder away = ApplyRequest.newBuilder();
        ApplyRequest.Builder back = ApplyRequest.newBuilder();
        Iterator<ClusterObject> objects = cluster.objects();
        for (int node = 0; node < nodes; node++) {
            ClusterObject.Builder object = objects.next().toBuilder();
            object.getNodeBuilder().getMetadataBuilder().clearResourceVersion();
            back.addEventsBuilder().setType(ClusterEvent.Type.TYPE_MODIFIED).setObject(object);
            object.getNodeBuilder().getMetadataBuilder().putLabels(ZONE, "zone-" + (node / 7 % 3 + 1));
            away.addEventsBuilder().setType(ClusterEvent.Type.TYPE_MODIFIED).setObject(object);
        }
        ApplyRequest there = away.build();
        ApplyRequest here = back.build();
        return new StallScenario(
                "%,d nodes relabelled, %,d workloads"
                        .formatted(nodes, cluster.workloads().size()),
                () -> {},
                () -> {
                    apply(there);
                    apply(here);
                });
    }

    // ---- incoming pods with something new

    private void ask(Pod pod) {
        ask(List.of(pod));
    }

    private void ask(List<Pod> pods) {
        client.evaluate(Query.of(pods).among(CandidateNodes.all()).best(16).toEvaluate());
    }

    private Pod.Builder incoming() {
        return Spread.HARD_ZONE_HARD_HOSTNAME
                .of(cluster.workloads().get(fresh % cluster.workloads().size()))
                .toBuilder();
    }

    private Pod affine() {
        Pod.Builder pod = incoming();
        pod.getSpecBuilder()
                .getAffinityBuilder()
                .getNodeAffinityBuilder()
                .getRequiredDuringSchedulingIgnoredDuringExecutionBuilder()
                .addNodeSelectorTermsBuilder()
                .addMatchExpressions(NodeSelectorRequirement.newBuilder()
                        .setKey("kubernetes.io/hostname")
                        .setOperator("NotIn")
                        .addValues("none-" + fresh++));
        return pod.build();
    }

    private Pod tolerant() {
        Pod.Builder pod = incoming();
        pod.getSpecBuilder()
                .addTolerations(Toleration.newBuilder().setKey("key-" + fresh++).setOperator("Exists"));
        pod.getSpecBuilder()
                .getTopologySpreadConstraintsBuilderList()
                .forEach(constraint -> constraint.setNodeTaintsPolicy("Honor"));
        return pod.build();
    }

    private Pod byNewKey() {
        Pod.Builder pod = incoming();
        pod.getSpecBuilder().getTopologySpreadConstraintsBuilder(0).setTopologyKey("key-" + fresh++);
        return pod.build();
    }

    /** A pod with many new topology keys. Half of its constraints are hard. */
    private Pod byManyNewKeys() {
        Pod.Builder pod = incoming();
        TopologySpreadConstraint source = pod.getSpec().getTopologySpreadConstraints(0);
        pod.getSpecBuilder().clearTopologySpreadConstraints();
        for (int i = 0; i < CONSTRAINTS; i++) {
            pod.getSpecBuilder()
                    .addTopologySpreadConstraints(source.toBuilder()
                            .setTopologyKey("key-" + fresh++)
                            .setWhenUnsatisfiable(i % 2 == 0 ? "DoNotSchedule" : "ScheduleAnyway"));
        }
        return pod.build();
    }

    /** @param amongAll whether its constraints count all pods of its namespace, or those of its workload */
    private Pod ofNewKind(boolean amongAll) {
        Pod.Builder pod = incoming();
        LabelSelectorRequirement any = LabelSelectorRequirement.newBuilder()
                .setKey("kind")
                .setOperator("NotIn")
                .addValues("kind-" + fresh++)
                .build();
        for (TopologySpreadConstraint.Builder constraint :
                pod.getSpecBuilder().getTopologySpreadConstraintsBuilderList()) {
            if (amongAll) {
                constraint.clearLabelSelector();
            }
            constraint.getLabelSelectorBuilder().addMatchExpressions(any);
        }
        return pod.build();
    }

    private StallScenario unknownKinds() {
        return new StallScenario("%,d unknown kinds of pods in a batch".formatted(UNKNOWN_KINDS), () -> {}, () -> {
            List<Pod> pods = new ArrayList<>();
            for (int i = 0; i < UNKNOWN_KINDS; i++) {
                pods.add(ofNewKind(false));
            }
            ask(pods);
        });
    }

    // ---- pods that are assumed, but never appear in the watch

    private StallScenario assumptions() {
        int pods = Math.min(ASSUMED_PODS, cluster.shape().pods());
        return new StallScenario(
                "%,d assumptions expire".formatted(pods), () -> assume(pods), this::awaitNoAssumptions);
    }

    /** Assumes pods so that all assumptions expire at about the same time. */
    private void assume(int pods) {
        long end = System.nanoTime() + (MIN_LIFETIME_MILLIS + pods / PODS_A_MILLI) * 1_000_000L;
        for (int first = 0; first < pods; first += EVENTS_A_MESSAGE) {
            AssumeRequest.Builder request = AssumeRequest.newBuilder();
            long left = Math.max(1, end - System.nanoTime());
            request.getTimeToLiveBuilder().setSeconds(left / 1_000_000_000L).setNanos((int) (left % 1_000_000_000L));
            for (int i = first; i < Math.min(pods, first + EVENTS_A_MESSAGE); i++) {
                Pod.Builder pod = cluster.pod(i).toBuilder();
                pod.getMetadataBuilder()
                        .setName("assumed-" + i)
                        .setUid("assumed-" + i)
                        .clearResourceVersion();
                String node = pod.getSpec().getNodeName();
                pod.getSpecBuilder().clearNodeName();
                request.addPodsBuilder().setPod(pod).setNode(node);
            }
            AssumeResponse response = client.assume(request.build());
            if (response.getRefusalsCount() > 0) {
                throw new IllegalStateException("the engine rejected " + response.getRefusals(0));
            }
        }
    }

    private void awaitNoAssumptions() {
        try {
            while (client.status().getAssumedPodCount() > 0) {
                Thread.sleep(MILLIS_A_LOOK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while assumptions expire", e);
        }
    }

    // ---- pods of one namespace with unique labels, added and deleted

    private StallScenario labelsOfTheirOwn() {
        int pods = Math.min(ODD_PODS, cluster.shape().pods());
        return new StallScenario(
                "deletion of %,d pods with unique labels".formatted(pods),
                () -> sendOdd(pods, ClusterEvent.Type.TYPE_ADDED),
                () -> sendOdd(pods, ClusterEvent.Type.TYPE_DELETED));
    }

    private void sendOdd(int pods, ClusterEvent.Type type) {
        Pod any = cluster.pod(0);
        for (int first = 0; first < pods; first += EVENTS_A_MESSAGE) {
            ApplyRequest.Builder request = ApplyRequest.newBuilder();
            for (int i = first; i < Math.min(pods, first + EVENTS_A_MESSAGE); i++) {
                Pod.Builder pod = any.toBuilder();
                pod.getMetadataBuilder()
                        .setName("odd-" + i)
                        .setUid("odd-" + i + "-" + fresh)
                        .clearResourceVersion()
                        .putLabels("number", Integer.toString(i));
                request.addEventsBuilder().setType(type).getObjectBuilder().setPod(pod);
            }
            apply(request.build());
        }
        fresh += type == ClusterEvent.Type.TYPE_DELETED ? 1 : 0;
    }

    // ---- what-ifs and events

    private StallScenario whatIfs() {
        WhatIfRequest.Builder request = WhatIfRequest.newBuilder().setPod(incoming());
        int removals = Math.min(REMOVALS, cluster.shape().pods());
        for (int i = 0; i < WHAT_IFS; i++) {
            WhatIfCase.Builder each = request.addCasesBuilder()
                    .setNode(cluster.pod(i % cluster.shape().pods()).getSpec().getNodeName());
            for (int pod = 0; pod < removals; pod++) {
                Pod removed = cluster.pod((i * 37 + pod) % cluster.shape().pods());
                each.getOverlayBuilder()
                        .addWithoutBuilder()
                        .setUid(removed.getMetadata().getUid());
            }
        }
        WhatIfRequest asked = request.build();
        return new StallScenario(
                "%d what-ifs of %,d removals".formatted(WHAT_IFS, removals), () -> {}, () -> client.whatIf(asked));
    }

    private StallScenario steadyEvents() {
        List<ApplyRequest> messages = new ArrayList<>();
        for (int message = 0; message < MESSAGES; message++) {
            int from = message * EVENTS_A_MESSAGE % cluster.shape().pods();
            int to = Math.min(cluster.shape().pods(), from + EVENTS_A_MESSAGE);
            messages.add(events(from, to, ClusterEvent.Type.TYPE_DELETED));
            messages.add(events(from, to, ClusterEvent.Type.TYPE_ADDED));
        }
        return loop("steady events", () -> messages.forEach(this::apply));
    }
}
