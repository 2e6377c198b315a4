package io.evenkeel.engine.naive;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.script.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The model with which the engine is compared: it keeps the cluster as plain maps of objects, and answers every
 * question by counting all pods again. It is written to be read as the rules in executable form. {@link Recount},
 * {@link NodeRules}, {@link FitRules} and {@link DefaultSelector} have the rules for answers, {@link ModelObjects}
 * those for events.
 */
public final class ClusterModel {
    private record Assumption(PodObject pod, long expiresAt) {}

    private final ModelObjects<NodeObject> nodes = new ModelObjects<>(true, node -> ObjectKind.NODE);
    private final ModelObjects<PodObject> pods = new ModelObjects<>(false, pod -> ObjectKind.POD);
    private final ModelObjects<OwnerObject> owners = new ModelObjects<>(true, OwnerObject::kind);
    private final ModelObjects<DisruptionBudget> budgets = new ModelObjects<>(true, DisruptionBudget::kind);
    /**
     * Pods that a scheduler has placed and that were not seen bound yet, by UID. The pod is as the scheduler had it,
     * with the node that it chose.
     */
    private final Map<String, Assumption> assumptions = new HashMap<>();

    private final Set<ObjectKind> inSnapshot = new HashSet<>();

    public boolean apply(Change change, NodeObject node) {
        return nodes.apply(change, node.uid(), node.name(), node.resourceVersion(), node);
    }

    public boolean apply(Change change, OwnerObject owner) {
        String name = owner.kind() + "/" + owner.namespace() + "/" + owner.name();
        return owners.apply(change, owner.uid(), name, owner.resourceVersion(), owner);
    }

    public boolean apply(Change change, DisruptionBudget budget) {
        String name = budget.namespace() + "/" + budget.name();
        return budgets.apply(change, budget.uid(), name, budget.resourceVersion(), budget);
    }

    public boolean apply(Change change, PodObject pod) {
        String name = pod.namespace() + "/" + pod.name();
        boolean news = pods.apply(change, pod.uid(), name, pod.resourceVersion(), pod);
        if (change == Change.DELETED) {
            return assumptions.remove(pod.uid()) != null || news;
        }
        if (news && !pod.nodeName().isEmpty()) {
            assumptions.remove(pod.uid());
        }
        return news;
    }

    public void beginSnapshot(Set<ObjectKind> kinds) {
        inSnapshot.addAll(kinds);
        nodes.beginSnapshot(kinds);
        pods.beginSnapshot(kinds);
        owners.beginSnapshot(kinds);
        budgets.beginSnapshot(kinds);
    }

    /** Sets whether the next events come from a source other than their kind's feed. */
    void setFromElsewhere(boolean elsewhere) {
        nodes.setFromElsewhere(elsewhere);
        pods.setFromElsewhere(elsewhere);
        owners.setFromElsewhere(elsewhere);
        budgets.setFromElsewhere(elsewhere);
    }

    /**
     * Ends only the snapshots of these kinds that are in progress.
     *
     * @param lists the kinds, each with the version of its list; 0 if unknown
     */
    public void endSnapshot(Map<ObjectKind, Long> lists) {
        Map<ObjectKind, Long> ending = new HashMap<>(lists);
        ending.keySet().retainAll(inSnapshot);
        if (ending.isEmpty()) {
            throw new IllegalStateException("no snapshot of " + lists + " is under way");
        }
        inSnapshot.removeAll(ending.keySet());
        nodes.endSnapshot(ending);
        owners.endSnapshot(ending);
        budgets.endSnapshot(ending);
        pods.endSnapshot(ending).forEach(assumptions::remove);
    }

    public void abandonSnapshot(Set<ObjectKind> kinds) {
        inSnapshot.removeAll(kinds);
        nodes.abandonSnapshot(kinds);
        pods.abandonSnapshot(kinds);
        owners.abandonSnapshot(kinds);
        budgets.abandonSnapshot(kinds);
    }

    /** The UIDs of the objects of a kind. Only pods that the watch has shown are included. */
    public Set<String> uids(ObjectKind kind) {
        Set<String> uids = new TreeSet<>();
        uids.addAll(nodes.uids(kind));
        uids.addAll(pods.uids(kind));
        uids.addAll(owners.uids(kind));
        uids.addAll(budgets.uids(kind));
        return uids;
    }

    /** Counts {@code pod} on its nodeName until an event places or deletes it, or {@code expiresAt} comes. */
    void assume(PodObject pod, long expiresAt) {
        PodObject stored = pods.get(pod.uid());
        boolean confirmed = stored != null && !stored.nodeName().isEmpty();
        if (!confirmed && !pods.isDeleted(pod.uid())) {
            assumptions.put(pod.uid(), new Assumption(pod, expiresAt));
        }
    }

    void forget(String uid) {
        assumptions.remove(uid);
    }

    void expire(long now) {
        assumptions.values().removeIf(assumption -> assumption.expiresAt() <= now);
    }

    public Set<String> nodeNames() {
        Set<String> names = new HashSet<>();
        nodes.all().forEach(node -> names.add(node.name()));
        return names;
    }

    /** The verdict of Filter on each of {@code candidates} that is a node. */
    Map<String, Verdict> filter(
            IncomingPod pod, SpreadDefaults defaults, Overlay overlay, Collection<String> candidates) {
        return recount(pod, defaults, placedPods(overlay, "")).filter(candidates);
    }

    /** The verdict on each of {@code candidates} that is a node, with every filter that runs before the constraints. */
    public Map<String, Verdict> filterFitting(
            IncomingPod pod, SpreadDefaults defaults, Overlay overlay, Collection<String> candidates) {
        return recount(pod, defaults, placedPods(overlay, "")).filterFitting(candidates);
    }

    /** For each hard constraint in force, in order: the matching pods of each eligible domain. */
    public List<Map<String, Integer>> hardCounts(IncomingPod pod, SpreadDefaults defaults, Overlay overlay) {
        return recount(pod, defaults, placedPods(overlay, "")).hardCounts();
    }

    /**
     * The score, 0 to 100, of each of {@code passed} that is a node, if these are the nodes that passed all filters.
     */
    public Map<String, Integer> score(
            IncomingPod pod, SpreadDefaults defaults, Overlay overlay, Collection<String> passed) {
        return recount(pod, defaults, placedPods(overlay, "")).score(passed);
    }

    /**
     * The result of Filter for one node in a hypothetical cluster.
     *
     * @return null if {@code node} is not known
     */
    @Nullable
    VerdictCode whatIf(IncomingPod pod, SpreadDefaults defaults, String node, Overlay overlay) {
        Verdict verdict = recount(pod, defaults, placedPods(overlay, node))
                .filter(List.of(node))
                .get(node);
        return verdict == null ? null : verdict.code();
    }

    /** The verdict on one node in a hypothetical cluster, with every filter that runs before the constraints. */
    @Nullable
    Verdict whatIfFitting(IncomingPod pod, SpreadDefaults defaults, String node, Overlay overlay) {
        return recount(pod, defaults, placedPods(overlay, node))
                .filterFitting(List.of(node))
                .get(node);
    }

    /** The pods that an overlay refers to and that the cluster does not have, each once, in its order. */
    public List<PodKey> unknown(Overlay overlay) {
        Set<PodKey> unknown = new LinkedHashSet<>(overlay.without());
        for (Overlay.Added added : overlay.added()) {
            if (added instanceof Overlay.Known known) {
                unknown.add(known.pod());
            }
        }
        unknown.removeIf(key -> knownPods().stream().anyMatch(pod -> isNamed(pod, key)));
        return List.copyOf(unknown);
    }

    private static boolean isNamed(PodObject pod, PodKey key) {
        return key.isByUid()
                ? pod.uid().equals(key.uid())
                : pod.namespace().equals(key.namespace()) && pod.name().equals(key.name());
    }

    /** For each of {@code candidates} that is a node and that {@code pod} may not enter at all: why. */
    Map<String, Reason> shutOut(IncomingPod pod, Collection<String> candidates) {
        Map<String, Reason> reasons = new TreeMap<>();
        for (NodeObject node : nodes.all()) {
            Reason reason = NodeRules.shutOut(pod, node);
            if (reason != null && candidates.contains(node.name())) {
                reasons.put(node.name(), reason);
            }
        }
        return reasons;
    }

    /** How many pods on known nodes were given without their containers. */
    int podsWithoutRequests() {
        Set<String> names = nodeNames();
        return (int) knownPods().stream()
                .filter(pod -> names.contains(pod.nodeName()))
                .filter(pod -> !pod.finished() && !pod.requests().isKnown())
                .count();
    }

    /** How many nodes were given without allocatable resources. */
    int nodesWithoutAllocatable() {
        return (int)
                nodes.all().stream().filter(node -> node.allocatable() == null).count();
    }

    /** The sum of kube-scheduler's default scores of each node that passed. */
    public Map<String, Long> stock(
            IncomingPod pod, ScoredPod scored, SpreadDefaults defaults, Collection<String> passed) {
        return recount(pod, defaults, placedPods(Overlay.NONE, "")).stock(scored, passed);
    }

    private Recount recount(IncomingPod pod, SpreadDefaults defaults, List<PodObject> placed) {
        return new Recount(pod, defaults, nodes.all(), placed, owners.all());
    }

    /** All pods, each on its node, known or not: the node in the watch or, if the watch names none, the assumed one. */
    private List<PodObject> knownPods() {
        List<PodObject> known = new ArrayList<>();
        for (PodObject pod : pods.all()) {
            Assumption assumption = assumptions.get(pod.uid());
            known.add(assumption == null ? pod : onNode(pod, assumption.pod().nodeName()));
        }
        for (Assumption assumption : assumptions.values()) {
            if (pods.get(assumption.pod().uid()) == null) {
                known.add(assumption.pod());
            }
        }
        return known;
    }

    /**
     * The pods that are on some node, known or not, after the overlay has removed and added pods.
     *
     * @param judgedNode the node for added pods that name none
     */
    private List<PodObject> placedPods(Overlay overlay, String judgedNode) {
        List<PodObject> placed = knownPods();
        overlay.without().forEach(key -> placed.removeIf(pod -> isNamed(pod, key)));
        for (Overlay.Added added : overlay.added()) {
            for (PodObject pod : inFull(added)) {
                placed.removeIf(other -> !pod.uid().isEmpty() && other.uid().equals(pod.uid()));
                placed.add(pod.nodeName().isEmpty() ? onNode(pod, judgedNode) : pod);
            }
        }
        placed.removeIf(pod -> pod.nodeName().isEmpty());
        return placed;
    }

    private List<PodObject> inFull(Overlay.Added added) {
        if (added instanceof Overlay.InFull inFull) {
            return List.of(inFull.pod());
        }
        Overlay.Known known = (Overlay.Known) added;
        return knownPods().stream()
                .filter(pod -> isNamed(pod, known.pod()))
                .map(pod -> known.node().isEmpty() ? pod : onNode(pod, known.node()))
                .toList();
    }

    private static PodObject onNode(PodObject pod, String node) {
        return new PodObject(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                pod.resourceVersion(),
                pod.labels(),
                node,
                pod.terminating(),
                pod.finished(),
                pod.requests());
    }
}
