package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Session;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.manifest.RolloutStrategy;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledItem;
import io.evenkeel.v1.ScheduledPods;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A rollout of a Deployment in a session, with the steps of kube-controller-manager: create as many new pods as the
 * surge allows, then delete as many old ones as availability allows, until nothing changes. New pods are ready as soon
 * as they have a node, and deleted ones are gone at once. Old ReplicaSets are reduced in the order of their creation,
 * which is taken to be that of the oldest pod that is left of each.
 */
final class Rollout {
    private static final String NEW_HASH = "next-revision";

    private final PlacementClient client;
    private final Session session;
    private final PodWorkload workload;
    private final RolloutStrategy strategy;
    private final PlacementRule rule;
    private final Pod template;

    /** The pods of each old ReplicaSet, of the oldest one first. */
    private final List<List<Pod>> old;

    private final NodeCounts newNodes = new NodeCounts();
    private int placed;
    private int pending;
    private @Nullable ScheduledItem refusal;

    private Rollout(
            PlacementClient client,
            Session session,
            PodManifest deployment,
            RolloutStrategy strategy,
            List<Pod> pods,
            PlacementRule rule) {
        this.client = client;
        this.session = session;
        this.strategy = strategy;
        this.rule = rule;
        workload = new PodWorkload(
                deployment.pod().getMetadata().getNamespace(),
                deployment.kind(),
                deployment.title().replaceFirst(".*/", ""));
        template = ofNextRevision(deployment.pod(), workload.name());
        Map<String, List<Pod>> byName = new TreeMap<>();
        for (Pod pod : pods) {
            if (PodWorkload.of(pod).equals(workload)) {
                byName.computeIfAbsent(pod.getMetadata().getOwnerReferences(0).getName(), set -> new ArrayList<>())
                        .add(pod);
            }
        }
        old = new ArrayList<>(byName.values());
        old.sort(Comparator.comparingLong(Rollout::firstCreation));
    }

    /** When the oldest of some pods was created, in seconds since 1970. */
    private static long firstCreation(List<Pod> pods) {
        return pods.stream()
                .mapToLong(pod -> pod.getMetadata().getCreationTimestamp().getSeconds())
                .min()
                .orElse(0);
    }

    private static Pod ofNextRevision(Pod pod, String name) {
        Pod.Builder next = PodKinds.common(pod).toBuilder();
        next.getMetadataBuilder()
                .putLabels(PodWorkload.TEMPLATE_HASH, NEW_HASH)
                .getOwnerReferencesBuilder(0)
                .clearUid()
                .setName(name + "-" + NEW_HASH);
        return next.build();
    }

    /**
     * Rolls a Deployment out in a new session.
     *
     * @param pods all pods of the cluster
     * @param rule which of the nodes that a pod can go to it is placed on
     */
    static Report of(
            PlacementClient client,
            PodManifest deployment,
            RolloutStrategy strategy,
            List<Pod> pods,
            PlacementRule rule) {
        try (Session session = client.openSession()) {
            Rollout rollout = new Rollout(client, session, deployment, strategy, pods, rule);
            ExplainResponse before = SpreadChange.in(session, rollout.template, 1);
            if (strategy.recreates()) {
                rollout.delete(rollout.count(pod -> true), pod -> true);
            }
            boolean isChanging = true;
            while (isChanging) {
                boolean isCreating = rollout.create();
                isChanging = rollout.deleteOld() || isCreating;
            }
            return new Report(
                    rollout.workload,
                    strategy,
                    rollout.placed,
                    rollout.pending,
                    rollout.count(pod -> true),
                    rollout.newNodes,
                    rollout.refusal,
                    new SpreadChange(before, SpreadChange.in(session, rollout.template, 1)));
        }
    }

    private int count(Predicate<Pod> isCounted) {
        return (int) all().filter(isCounted).count();
    }

    private Stream<Pod> all() {
        return old.stream().flatMap(List::stream);
    }

    private static boolean isPlaced(Pod pod) {
        return !pod.getSpec().getNodeName().isEmpty();
    }

    /** Creates new pods, and tries those without a node again. Returns whether any found a node or was created. */
    private boolean create() {
        int created = placed + pending;
        int more = Math.max(
                0,
                Math.min(
                        strategy.replicas() + strategy.surge() - created - count(pod -> true),
                        strategy.replicas() - created));
        pending += more;
        if (pending == 0) {
            return false;
        }
        ScheduleResponse answer = PlacedReplicas.place(
                client,
                session,
                rule,
                ScheduledPods.newBuilder().setPod(template).setCount(pending).build());
        newNodes.add(answer);
        placed += answer.getPlacementsCount();
        pending -= answer.getPlacementsCount();
        refusal = pending > 0 ? answer.getItems(0) : null;
        return more > 0 || answer.getPlacementsCount() > 0;
    }

    /** Deletes old pods: first those without a node, then others while enough are available. */
    private boolean deleteOld() {
        int least = strategy.replicas() - strategy.unavailable();
        int excess = placed + count(pod -> true) - least;
        int waiting = Math.min(Math.max(0, excess), count(pod -> !isPlaced(pod)));
        int running = Math.min(Math.max(0, placed + count(Rollout::isPlaced) - least), count(Rollout::isPlaced));
        delete(waiting, pod -> !isPlaced(pod));
        delete(excess > 0 ? running : 0, Rollout::isPlaced);
        return waiting > 0 || excess > 0 && running > 0;
    }

    /** Deletes some old pods, ReplicaSet by ReplicaSet. */
    private void delete(int count, Predicate<Pod> isDeletable) {
        int left = count;
        for (List<Pod> set : old) {
            List<Pod> next = new DeletionOrder(newNodes, all().toList())
                    .sorted(set.stream().filter(isDeletable).toList());
            List<Pod> deleted = next.subList(0, Math.min(left, next.size()));
            left -= deleted.size();
            set.removeAll(deleted);
            PodReference[] references = deleted.stream()
                    .map(pod -> PodReference.newBuilder()
                            .setUid(pod.getMetadata().getUid())
                            .setNamespace(pod.getMetadata().getNamespace())
                            .setName(pod.getMetadata().getName())
                            .build())
                    .toArray(PodReference[]::new);
            if (references.length > 0) {
                session.remove(references);
            }
        }
    }

    /**
     * How a rollout ends.
     *
     * @param old how many old pods are left
     * @param refusal why a new pod finds no node; null if all have one
     */
    record Report(
            PodWorkload workload,
            RolloutStrategy strategy,
            int placed,
            int pending,
            int old,
            NodeCounts nodes,
            @Nullable ScheduledItem refusal,
            SpreadChange spread) {
        Map<String, ?> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("workload", workload.toString());
            fields.put("replicas", strategy.replicas());
            fields.put("surge", strategy.surge());
            fields.put("unavailable", strategy.unavailable());
            fields.put("newPods", placed);
            fields.put("pendingPods", pending);
            fields.put("oldPods", old);
            fields.put("nodes", nodes.byNode());
            if (refusal != null) {
                fields.put("reason", refusal);
            }
            fields.put("constraints", spread.after().getConstraintsList());
            return fields;
        }

        String text(int maxRows) {
            StringBuilder text = new StringBuilder();
            String how = strategy.recreates()
                    ? "all recreated"
                    : "at most " + strategy.surge() + " more and " + strategy.unavailable() + " unavailable";
            text.append("Rollout of " + Paragraphs.printable(workload.toString()) + ": " + strategy.replicas()
                    + " replicas, " + how + ".\n");
            Paragraphs.append(
                    text,
                    0,
                    refusal == null
                            ? "It completes: each of the " + placed + " new pods has a node."
                            : "It gets stuck with " + placed + " new pods that have a node, " + pending
                                    + " that find none, and " + old + " old ones.");
            if (refusal != null) {
                PlacedReplicas.appendReasons(text, refusal);
            }
            text.append(placed > 0 ? "\nNodes of the new pods\n" : "");
            nodes.appendTo(text, maxRows);
            text.append("\nSpread afterwards\n");
            spread.appendTo(text, maxRows);
            return text.toString();
        }
    }
}
