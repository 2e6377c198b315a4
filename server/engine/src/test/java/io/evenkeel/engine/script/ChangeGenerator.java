package io.evenkeel.engine.script;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Generates random changes of a small cluster, always the same ones for a seed. Nodes arrive late, are removed, return,
 * and change labels and taints. Pods are bound, moved, finished, deleted and renamed. There are owners, snapshots,
 * assumptions, and events that are duplicated, late, for unknown objects, or from a source other than the feed.
 */
public final class ChangeGenerator {
    private static final int MAX_PODS = 60;
    private static final int LARGEST_PILE = 300;
    private static final int MANY_NODES = 30;
    private static final int HISTORY = 60;

    private final RandomChoices dice;
    private final Universe universe;
    private final Roster<NodeObject> nodes;
    private final Roster<PodObject> pods;
    private final Roster<OwnerObject> owners;
    private final Queue<Step> due = new ArrayDeque<>();
    private final List<Step> history = new ArrayList<>();
    private final List<OpenSnapshot> snapshots = new ArrayList<>();
    private final List<PodObject> assumed = new ArrayList<>();
    private long lastVersion;
    private long now = 1_000;
    private int podsNamed;

    public ChangeGenerator(RandomChoices dice, Universe universe) {
        this.dice = dice;
        this.universe = universe;
        this.nodes = new Roster<>(dice);
        this.pods = new Roster<>(dice);
        this.owners = new Roster<>(dice);
    }

    public List<String> nodeNames() {
        return nodes.all().stream().map(NodeObject::name).distinct().toList();
    }

    public List<PodObject> pods() {
        return pods.all();
    }

    public Step next() {
        while (due.isEmpty()) {
            plan();
        }
        Step step = due.remove();
        if (step instanceof Step.NodeEvent || step instanceof Step.PodEvent || step instanceof Step.OwnerEvent) {
            history.add(step);
            if (history.size() > HISTORY) {
                history.remove(0);
            }
            if (!isListed(step) && dice.chance(0.2)) {
                return new Step.FromElsewhere(step);
            }
        }
        return step;
    }

    private static boolean isListed(Step step) {
        return step instanceof Step.NodeEvent node && node.change() == Change.LISTED
                || step instanceof Step.PodEvent pod && pod.change() == Change.LISTED
                || step instanceof Step.OwnerEvent owner && owner.change() == Change.LISTED;
    }

    private void plan() {
        if (!snapshots.isEmpty() && dice.chance(0.7)) {
            if (dice.chance(0.1)) {
                beginSnapshot();
            } else {
                continueSnapshot(dice.pick(snapshots));
            }
            return;
        }
        int choice = dice.below(100);
        if (nodes.isEmpty() || choice < 14) {
            addNode();
        } else if (choice < 22) {
            changeNode(nodes.pick());
        } else if (choice < 25) {
            NodeObject node = nodes.pick();
            nodes.remove(node.uid());
            due.add(new Step.NodeEvent(Change.DELETED, withVersion(node, version())));
        } else if (pods.isEmpty() || choice < 50) {
            addPods();
        } else if (choice < 68) {
            changePod(pods.pick());
        } else if (choice < 78) {
            PodObject pod = pods.pick();
            pods.remove(pod.uid());
            due.add(new Step.PodEvent(Change.DELETED, dice.chance(0.5) ? pod : withVersion(pod, version())));
        } else if (choice < 86) {
            changeOwners();
        } else if (choice < 92) {
            repeatAnEvent();
        } else if (choice < 98) {
            assumeForgetOrExpire();
        } else {
            beginSnapshot();
        }
    }

    private long version() {
        lastVersion += dice.between(1, 3);
        if (dice.chance(universe.unknownVersion)) {
            return 0;
        }
        // Beyond the signed range, so newer than all later versions.
        return dice.chance(0.003) ? Long.MIN_VALUE + lastVersion : lastVersion;
    }

    private void addNode() {
        if (nodes.hasGone() && dice.chance(0.4)) {
            NodeObject returning = nodes.pickGone();
            putNode(dice.chance(0.8) ? Change.ADDED : Change.MODIFIED, withVersion(returning, version()));
        } else {
            int count = universe.nodeNames.size() > MANY_NODES && dice.chance(0.3) ? MANY_NODES : 1;
            for (int i = 0; i < count; i++) {
                String name = dice.pick(universe.nodeNames);
                putNode(Change.ADDED, node(name, universe.freshUid()));
            }
        }
    }

    private NodeObject node(String name, String uid) {
        return new NodeObject(
                name,
                uid,
                version(),
                universe.nodeLabels(name),
                universe.taints(),
                dice.chance(0.15),
                universe.allocatable());
    }

    private void changeNode(NodeObject node) {
        NodeObject other = node(node.name(), node.uid());
        boolean relabel = dice.chance(0.5);
        boolean retaint = dice.chance(0.5);
        boolean cordon = dice.chance(0.2);
        boolean resize = dice.chance(0.4);
        boolean rename = dice.chance(0.02);
        putNode(
                Change.MODIFIED,
                new NodeObject(
                        rename ? dice.pick(universe.nodeNames) : node.name(),
                        node.uid(),
                        version(),
                        relabel ? other.labels() : node.labels(),
                        retaint ? other.taints() : node.taints(),
                        cordon != node.unschedulable(),
                        resize ? other.allocatable() : node.allocatable()));
    }

    private void putNode(Change change, NodeObject node) {
        nodes.put(node.uid(), node);
        due.add(new Step.NodeEvent(change, node));
    }

    private static NodeObject withVersion(NodeObject node, long version) {
        return new NodeObject(
                node.name(),
                node.uid(),
                version,
                node.labels(),
                node.taints(),
                node.unschedulable(),
                node.allocatable());
    }

    private void addPods() {
        int count = dice.chance(0.02) ? dice.between(20, LARGEST_PILE) : dice.between(1, 3);
        if (pods.size() + count > MAX_PODS + LARGEST_PILE) {
            return;
        }
        PodObject first = pod();
        for (int i = 0; i < count; i++) {
            PodObject replica = i == 0
                    ? first
                    : new PodObject(
                            first.namespace(),
                            podName(),
                            universe.freshUid(),
                            version(),
                            first.labels(),
                            dice.chance(0.9) ? first.nodeName() : someNodeName(),
                            first.terminating(),
                            first.finished(),
                            dice.chance(0.9) ? first.requests() : universe.storedRequests());
            putPod(dice.chance(0.95) ? Change.ADDED : Change.MODIFIED, replica);
        }
    }

    private PodObject pod() {
        return new PodObject(
                dice.pick(universe.namespaces),
                podName(),
                universe.freshUid(),
                version(),
                universe.podLabels(),
                dice.chance(0.2) ? "" : someNodeName(),
                dice.chance(0.05),
                dice.chance(0.05),
                universe.storedRequests());
    }

    /** Occasionally a name that another pod has or had. */
    private String podName() {
        return "pod-" + (dice.chance(0.15) ? dice.below(podsNamed + 1) : podsNamed++);
    }

    private String someNodeName() {
        if (dice.chance(0.05)) {
            return "nowhere";
        }
        return nodes.isEmpty() || dice.chance(0.2)
                ? dice.pick(universe.nodeNames)
                : nodes.pick().name();
    }

    private void changePod(PodObject pod) {
        String nodeName = pod.nodeName();
        if (nodeName.isEmpty() ? dice.chance(0.7) : dice.chance(0.1)) {
            nodeName = dice.chance(0.1) ? "" : someNodeName();
        }
        boolean rename = dice.chance(0.02);
        putPod(
                Change.MODIFIED,
                new PodObject(
                        rename ? dice.pick(universe.namespaces) : pod.namespace(),
                        rename ? podName() : pod.name(),
                        pod.uid(),
                        version(),
                        dice.chance(0.3) ? universe.podLabels() : pod.labels(),
                        nodeName,
                        pod.terminating() ? dice.chance(0.8) : dice.chance(0.2),
                        pod.finished() ? dice.chance(0.8) : dice.chance(0.15),
                        dice.chance(0.2) ? universe.storedRequests() : pod.requests()));
    }

    private void putPod(Change change, PodObject pod) {
        pods.put(pod.uid(), pod);
        due.add(new Step.PodEvent(change, pod));
    }

    private static PodObject withVersion(PodObject pod, long version) {
        return new PodObject(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                version,
                pod.labels(),
                pod.nodeName(),
                pod.terminating(),
                pod.finished(),
                pod.requests());
    }

    private void changeOwners() {
        if (owners.isEmpty() || dice.chance(0.5)) {
            String uid =
                    owners.hasGone() && dice.chance(0.2) ? owners.pickGone().uid() : universe.freshUid();
            putOwner(
                    Change.ADDED,
                    owner(
                            dice.pick(List.copyOf(ObjectKind.OWNERS)),
                            dice.pick(universe.namespaces),
                            dice.pick(Universe.OWNER_NAMES),
                            uid));
            return;
        }
        OwnerObject owner = owners.pick();
        if (dice.chance(0.6)) {
            putOwner(Change.MODIFIED, owner(owner.kind(), owner.namespace(), owner.name(), owner.uid()));
        } else {
            owners.remove(owner.uid());
            due.add(new Step.OwnerEvent(Change.DELETED, owner));
        }
    }

    private OwnerObject owner(ObjectKind kind, String namespace, String name, String uid) {
        boolean byLabels = kind == ObjectKind.SERVICE || kind == ObjectKind.REPLICATION_CONTROLLER;
        PodSelector selector = byLabels ? universe.labelSelector() : universe.selector(universe.podLabels());
        return new OwnerObject(kind, namespace, name, uid, version(), dice.chance(0.1) ? null : selector);
    }

    private void putOwner(Change change, OwnerObject owner) {
        owners.put(owner.uid(), owner);
        due.add(new Step.OwnerEvent(change, owner));
    }

    /** The same event again, or as another type of change. Most of these are late. */
    private void repeatAnEvent() {
        if (history.isEmpty()) {
            return;
        }
        Step step = dice.pick(history);
        Change change = dice.pick(List.of(Change.ADDED, Change.ADDED, Change.MODIFIED, Change.DELETED));
        if (step instanceof Step.NodeEvent event) {
            due.add(dice.chance(0.5) ? event : new Step.NodeEvent(change, event.node()));
        } else if (step instanceof Step.PodEvent event) {
            due.add(dice.chance(0.5) ? event : new Step.PodEvent(change, event.pod()));
        } else if (step instanceof Step.OwnerEvent event) {
            due.add(dice.chance(0.5) ? event : new Step.OwnerEvent(change, event.owner()));
        }
    }

    private void assumeForgetOrExpire() {
        int choice = dice.below(10);
        if (choice < 6 || pods.isEmpty()) {
            PodObject pod = pods.isEmpty() || dice.chance(0.3) ? pod() : pods.pick();
            PodObject placed = placed(!assumed.isEmpty() && dice.chance(0.2) ? dice.pick(assumed) : pod);
            assumed.add(placed);
            due.add(new Step.Assume(placed, dice.chance(0.3) ? Long.MAX_VALUE : now + dice.between(1, 100)));
            if (dice.chance(0.3)) {
                // The watch sees the pod as well: pending, or bound to that node or another.
                putPod(Change.MODIFIED, withVersion(dice.chance(0.5) ? pod : placed, version()));
            }
        } else if (choice < 8) {
            due.add(new Step.Forget((assumed.isEmpty() ? pods.pick() : dice.pick(assumed)).uid()));
        } else {
            now += dice.between(1, 60);
            due.add(new Step.Expire(now));
        }
    }

    /** The pod as a scheduler would assume it, occasionally with other labels or requests. */
    private PodObject placed(PodObject pod) {
        return new PodObject(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                pod.resourceVersion(),
                dice.chance(0.8) ? pod.labels() : universe.podLabels(),
                someNodeName(),
                dice.chance(0.05),
                dice.chance(0.05),
                dice.chance(0.8) ? pod.requests() : universe.storedRequests());
    }

    /** Of all kinds or of some, including kinds whose snapshot is in progress. */
    private void beginSnapshot() {
        Set<ObjectKind> kinds = new TreeSet<>(dice.chance(0.5) ? ObjectKind.ALL : dice.some(ObjectKind.ALL, 0.4));
        if (kinds.isEmpty()) {
            return;
        }
        snapshots.forEach(other -> other.kinds.removeAll(kinds));
        snapshots.removeIf(other -> other.kinds.isEmpty());
        List<Step> unlisted = new ArrayList<>();
        if (kinds.contains(ObjectKind.NODE)) {
            for (NodeObject node : dice.some(nodes.all(), 0.9)) {
                unlisted.add(
                        new Step.NodeEvent(Change.LISTED, dice.chance(0.8) ? node : node(node.name(), node.uid())));
            }
        }
        if (kinds.contains(ObjectKind.POD)) {
            for (PodObject pod : dice.some(pods.all(), 0.9)) {
                unlisted.add(new Step.PodEvent(Change.LISTED, dice.chance(0.8) ? pod : withVersion(pod, version())));
            }
        }
        for (OwnerObject owner : dice.some(owners.all(), 0.9)) {
            if (kinds.contains(owner.kind())) {
                unlisted.add(new Step.OwnerEvent(Change.LISTED, owner));
            }
        }
        Collections.shuffle(unlisted, new Random(dice.number()));
        due.add(new Step.BeginSnapshot(Set.copyOf(kinds)));
        snapshots.add(new OpenSnapshot(kinds, unlisted, listVersion()));
    }

    /** The current version; occasionally an older one, or none. */
    private long listVersion() {
        if (dice.chance(universe.unknownVersion) || dice.chance(0.2)) {
            return 0;
        }
        return dice.chance(0.8) ? lastVersion : Math.max(0, lastVersion - dice.below(30));
    }

    private void continueSnapshot(OpenSnapshot snapshot) {
        if (dice.chance(0.05)) {
            snapshots.remove(snapshot);
            due.add(new Step.AbandonSnapshot(Set.copyOf(snapshot.kinds)));
            return;
        }
        for (int i = 0; i < 8 && !snapshot.unlisted.isEmpty(); i++) {
            due.add(snapshot.unlisted.remove(snapshot.unlisted.size() - 1));
        }
        if (snapshot.unlisted.isEmpty()) {
            snapshots.remove(snapshot);
            due.add(new Step.EndSnapshot(Lists.at(snapshot.version, snapshot.kinds)));
        }
    }

    /**
     * A snapshot in progress: the kinds that no later snapshot has restarted, the objects still to be listed, and the
     * version of its list.
     */
    private record OpenSnapshot(Set<ObjectKind> kinds, List<Step> unlisted, long version) {}
}
