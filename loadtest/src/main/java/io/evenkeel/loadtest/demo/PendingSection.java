package io.evenkeel.loadtest.demo;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Timing;
import io.evenkeel.v1.Advice;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Section 6 of the demo: explains the pods of a real cluster that kube-scheduler left pending. */
final class PendingSection {
    private static final int CALLS = 20;

    private final Screen screen;
    private final Claims claims;
    private final PlacementClient client;

    /** @param client a client of a server whose cluster may be replaced */
    PendingSection(Screen screen, Claims claims, PlacementClient client) {
        this.screen = screen;
        this.claims = claims;
        this.client = client.readingOwnWrites();
    }

    void show() throws IOException {
        RealCluster cluster = RealCluster.read();
        screen.heading("6. Why are these pods of a real cluster pending? (Explain)");
        try (ClusterFeed feed = client.feed()) {
            SnapshotResult result = feed.snapshot(cluster.objects().iterator());
            claims.equal("objects rejected", 0L, result.refused());
        }
        screen.paragraph(
                "%d objects from kubectl; kube-scheduler 1.36 left %d pods pending. For each, Evenkeel's summary is compared with the first sentence of kube-scheduler's message."
                        .formatted(cluster.objects().size(), cluster.pending().size()));
        claims.equal("pending pods", cluster.said().size(), cluster.pending().size());
        for (List<Pod> replicas : byOwner(cluster.pending()).values()) {
            ExplainResponse answer = ExplainResponse.getDefaultInstance();
            long nanos = 0;
            for (Pod pod : replicas) {
                ExplainRequest request = ExplainRequest.newBuilder().setPod(pod).build();
                Timing<ExplainResponse> timing = Timing.of(CALLS, () -> client.explain(request));
                answer = timing.answer();
                nanos = timing.medianNanos();
                claims.equal("summary of " + name(pod), cluster.firstSentence(name(pod)), answer.getSummary());
            }
            show(replicas, answer, nanos);
        }
    }

    private void show(List<Pod> replicas, ExplainResponse answer, long nanos) {
        screen.blank();
        String others = replicas.size() > 1 ? " and " + (replicas.size() - 1) + " like it" : "";
        screen.paragraph(
                name(replicas.get(0)) + others + " [" + Numbers.millis(nanos) + " ms]: " + answer.getSummary());
        screen.table(Explanations.constraints(answer.getConstraintsList()));
        for (ConstraintExplanation constraint : answer.getConstraintsList()) {
            if (constraint.getDomainsCount() > 0) {
                screen.blank();
                screen.table(Explanations.domains(constraint));
            }
        }
        for (Advice advice : answer.getAdviceList()) {
            screen.paragraph("likely a mistake: " + advice.getMessage() + " (" + advice.getField() + ")");
        }
    }

    private static Map<String, List<Pod>> byOwner(List<Pod> pods) {
        Map<String, List<Pod>> byOwner = new LinkedHashMap<>();
        for (Pod pod : pods) {
            String owner = pod.getMetadata().getOwnerReferencesList().stream()
                    .map(OwnerReference::getUid)
                    .findFirst()
                    .orElse(pod.getMetadata().getUid());
            byOwner.computeIfAbsent(owner, key -> new ArrayList<>()).add(pod);
        }
        return byOwner;
    }

    private static String name(Pod pod) {
        return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    }
}
