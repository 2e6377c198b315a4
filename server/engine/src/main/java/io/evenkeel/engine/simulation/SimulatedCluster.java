package io.evenkeel.engine.simulation;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.collections.IntArrayList;

/**
 * A hypothetical cluster: an engine that belongs to a simulation, changed step by step. Changes made since a
 * {@link #fork} can be reverted. Forks nest. A question is asked of {@link #engine()}, as of a live one, and sees all
 * changes so far.
 *
 * <pre>
 *   journal   [ undo | undo | … ]     one for each change since the outermost open fork, the oldest first
 *   forks     [ begin | begin | … ]   for each open fork, the length of the journal when it began
 * </pre>
 *
 * So a fork costs nothing, and a revert costs as much as the changes since. A node that was removed and comes back by a
 * revert may have another index; names stay.
 *
 * <p>Any number of threads may ask the engine, but one thread at a time may change the cluster.
 */
public final class SimulatedCluster {
    private final SpreadEngine engine;
    private final List<Consumer<ClusterWriter>> journal = new ArrayList<>();
    private final IntArrayList forks = new IntArrayList();

    /** @param engine an engine that nothing else writes to, such as a {@link SpreadEngine#fork} of a live one */
    public SimulatedCluster(SpreadEngine engine) {
        this.engine = engine;
    }

    /** The engine to ask. It must not be written to. */
    public SpreadEngine engine() {
        return engine;
    }

    // ---- forks

    /** Begins a fork inside the current one. */
    public void fork() {
        forks.addInt(journal.size());
    }

    /** Undoes all changes since the innermost fork began, and closes it; returns false if there is no fork. */
    public boolean revert() {
        if (forks.isEmpty()) {
            return false;
        }
        int begin = forks.popInt();
        if (journal.size() > begin) {
            engine.write(writer -> {
                for (int i = journal.size() - 1; i >= begin; i--) {
                    journal.remove(i).accept(writer);
                }
            });
        }
        return true;
    }

    /** Makes the changes of the innermost fork part of the one below, and closes it; returns false if there is none. */
    public boolean commit() {
        if (forks.isEmpty()) {
            return false;
        }
        forks.popInt();
        if (forks.isEmpty()) {
            journal.clear();
        }
        return true;
    }

    /** How many forks are open. */
    public int forks() {
        return forks.size();
    }

    /** How many changes could be reverted. */
    public int journalLength() {
        return journal.size();
    }

    // ---- nodes

    /**
     * Adds nodes, and new pods on them: all, or none if there is no room. Questions see all of them or none. Pods that
     * are bound to the names of the nodes count from now on.
     *
     * @param pods each is bound to one of the nodes, and has a UID that no pod has had
     * @throws InvalidChangeException if a node has one of the names
     */
    public void add(List<NodeObject> nodes, List<PodRecord> pods) {
        List<NodeObject> added = nodes.stream().map(node -> like(node, node)).toList();
        for (NodeObject node : added) {
            if (engine.hasNode(node.name())) {
                throw new InvalidChangeException("node " + node.name() + " exists already");
            }
        }
        Consumer<ClusterWriter> undo = writer -> {
            pods.forEach(pod -> takeOut(writer, pod));
            added.forEach(node -> writer.apply(Change.DELETED, node));
        };
        change(
                writer -> {
                    try {
                        added.forEach(node -> writer.apply(Change.ADDED, node));
                        pods.forEach(pod -> writer.assume(pod, pod.nodeName(), null));
                    } catch (CapacityException e) {
                        undo.accept(writer);
                        throw e;
                    }
                },
                undo);
    }

    /**
     * Gives a node other labels, taints, resources, or another cordon.
     *
     * @param node its UID and version are ignored
     * @throws InvalidChangeException if no node has that name
     */
    public void changeNode(NodeObject node) {
        NodeObject old = requireNode(node.name());
        change(
                writer -> writer.apply(Change.MODIFIED, like(node, old)),
                writer -> writer.apply(Change.MODIFIED, like(old, old)));
    }

    /** The node with the UID of {@code known}, as an update that always counts as newer. */
    private static NodeObject like(NodeObject node, NodeObject known) {
        return new NodeObject(
                node.name(), known.uid(), 0, node.labels(), node.taints(), node.unschedulable(), node.allocatable());
    }

    /**
     * Removes a node and every pod on it.
     *
     * @throws InvalidChangeException if no node has that name
     */
    public void removeNode(String name) {
        NodeObject node = requireNode(name);
        List<PodRecord> pods = engine.podsOn(name);
        change(
                writer -> {
                    pods.forEach(pod -> writer.apply(Change.DELETED, pod));
                    writer.apply(Change.DELETED, node);
                },
                writer -> {
                    writer.apply(Change.ADDED, node);
                    pods.forEach(pod -> writer.apply(Change.ADDED, pod));
                });
    }

    private void requireNodeName(String name) {
        if (!engine.hasNode(name)) {
            throw noNode(name);
        }
    }

    private static InvalidChangeException noNode(String name) {
        return new InvalidChangeException("no node is named " + name);
    }

    private NodeObject requireNode(String name) {
        NodeObject node = engine.node(name);
        if (node == null) {
            throw noNode(name);
        }
        return node;
    }

    // ---- pods

    /**
     * Puts a pod on a node, new or pending until now, whether it fits there or not.
     *
     * @param pod its own node is ignored; if the cluster has a pod with its UID, that pod is placed as it is
     * @throws InvalidChangeException if no node has that name, or if the pod is on a node already
     */
    public void place(PodRecord pod, String node) {
        requireNodeName(node);
        String before = engine.nodeOf(pod.uid);
        if (before == null) {
            placeNew(pod, node);
        } else if (before.isEmpty()) {
            move(PodKey.ofUid(pod.uid()), node);
        } else {
            throw new InvalidChangeException(
                    "pod " + pod.namespace() + "/" + pod.name() + " is on node " + before + " already");
        }
    }

    private void placeNew(PodRecord pod, String node) {
        Assumption[] placed = new Assumption[1];
        // An assumption needs no copy of the pod with the node's name.
        engine.write(writer -> placed[0] = writer.assume(pod, node, null));
        if (placed[0] == Assumption.DELETED) {
            // The change says that the pod comes back.
            PodRecord returns = pod.on(node);
            returns.resourceVersion = 0;
            engine.write(writer -> writer.apply(Change.ADDED, returns));
        }
        record(writer -> takeOut(writer, pod));
    }

    /** Removes a pod that came by an assumption, which an update may have ended. */
    private static void takeOut(ClusterWriter writer, PodRecord pod) {
        if (!writer.forget(pod.uid())) {
            writer.apply(Change.DELETED, pod);
        }
    }

    /**
     * Moves a pod to another node, whether it fits there or not.
     *
     * @param node empty to make the pod pending
     * @throws InvalidChangeException if there is no such pod, or no node has that name
     */
    public void move(PodKey pod, String node) {
        PodRecord known = requirePod(pod);
        if (!node.isEmpty()) {
            requireNodeName(node);
        }
        PodRecord moved = known.on(node);
        PodRecord back = known.on(known.nodeName());
        change(writer -> update(writer, moved), writer -> update(writer, back));
    }

    /** Updates a pod that exists. Without an assumption, because an event that shows it pending would leave that. */
    private static void update(ClusterWriter writer, PodRecord pod) {
        // An unknown version always counts as newer.
        pod.resourceVersion = 0;
        writer.forget(pod.uid());
        writer.apply(Change.MODIFIED, pod);
    }

    /**
     * Removes a pod.
     *
     * @throws InvalidChangeException if there is no such pod
     */
    public void remove(PodKey pod) {
        PodRecord known = requirePod(pod);
        change(writer -> writer.apply(Change.DELETED, known), writer -> writer.apply(Change.ADDED, known));
    }

    private PodRecord requirePod(PodKey pod) {
        PodRecord known = engine.record(pod);
        if (known == null) {
            throw new InvalidChangeException("there is no pod "
                    + (pod.isByUid() ? "with the UID " + pod.uid() : pod.namespace() + "/" + pod.name()));
        }
        return known;
    }

    /**
     * Places pods one after another, each counted before the next, as far as there are nodes for them. If this is
     * stopped or fails, none of them stays.
     *
     * @param scheduler of this cluster's engine; it can be used once
     */
    public Schedule schedule(Scheduler scheduler) {
        Schedule schedule = scheduler.simulate();
        if (!forks.isEmpty()) {
            journal.addAll(scheduler.undo());
        }
        return schedule;
    }

    private void change(Consumer<ClusterWriter> does, Consumer<ClusterWriter> undoes) {
        engine.write(does);
        record(undoes);
    }

    private void record(Consumer<ClusterWriter> undoes) {
        if (!forks.isEmpty()) {
            journal.add(undoes);
        }
    }
}
