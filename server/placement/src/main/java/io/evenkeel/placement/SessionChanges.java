package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.Uid;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.RefusalListener;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.engine.simulation.Scheduler;
import io.evenkeel.engine.simulation.SimulatedCluster;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.query.PodReferences;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.ChangeNode;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.MovePod;
import io.evenkeel.v1.OperationDone;
import io.evenkeel.v1.PlacePod;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.RemoveNode;
import io.evenkeel.v1.RemovePods;
import io.evenkeel.v1.SessionOperation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes the operations of one session. Each is validated first, and then made completely. Paths in errors are relative
 * to the operation: {@code placePod.pod.metadata.name}. Not thread-safe.
 */
final class SessionChanges {
    private final SimulatedCluster cluster;
    private final SpreadEngine engine;
    private final SessionBytes bytes;
    private final Limits limits;

    private final HypotheticalObjects objects = new HypotheticalObjects();

    SessionChanges(SimulatedCluster cluster, SessionBytes bytes, Limits limits) {
        this.cluster = cluster;
        this.engine = cluster.engine();
        this.bytes = bytes;
        this.limits = limits;
    }

    /**
     * Makes an operation.
     *
     * @throws RequestException if it is rejected; then nothing has changed
     */
    OperationDone make(SessionOperation operation) {
        OperationDone.Builder done = OperationDone.newBuilder();
        try {
            switch (operation.getOperationCase()) {
                case ADD_NODES -> addNodes(operation.getAddNodes(), done);
                case REMOVE_NODE -> removeNode(operation.getRemoveNode(), done);
                case CHANGE_NODE -> changeNode(operation.getChangeNode());
                case PLACE_POD -> placePod(operation.getPlacePod(), done);
                case MOVE_POD -> movePod(operation.getMovePod(), done);
                case REMOVE_PODS -> removePods(operation.getRemovePods(), done);
                case FORK -> {
                    bytes.fork();
                    cluster.fork();
                }
                case REVERT -> {
                    requireFork("revert");
                    cluster.revert();
                    bytes.revert();
                }
                case COMMIT -> {
                    requireFork("commit");
                    cluster.commit();
                    bytes.commit();
                }
                case OPERATION_NOT_SET -> throw RequestException.invalid("operation", "must be a known operation");
            }
        } catch (CapacityException e) {
            throw RequestException.stateFull(e);
        }
        return done.setOpenForkCount(cluster.forks()).build();
    }

    private void requireFork(String field) {
        if (cluster.forks() == 0) {
            throw RequestException.invalid(field, "must follow a fork that is neither reverted nor committed");
        }
    }

    /** Makes changes for which there is room; see {@link SessionBytes#change}. */
    private void change(int changes, long more, long less, Runnable change) {
        bytes.change(changes, more, less);
        boolean done = false;
        try {
            change.run();
            done = true;
        } finally {
            if (!done) {
                bytes.change(-changes, -more, -less);
            }
        }
    }

    private static long bytesOf(List<PodRecord> pods) {
        return pods.stream().mapToLong(SessionBytes::of).sum();
    }

    // ---- nodes

    private void addNodes(AddNodes request, OperationDone.Builder done) {
        List<String> names = names(request);
        long total = names.size() * (1L + request.getPodsCount());
        if (total > limits.events()) {
            throw RequestException.overLimit(
                    "addNodes", "must add at most " + limits.events() + " nodes and pods, had " + total);
        }
        boolean asItIs = request.getNamePrefix().isEmpty() && request.getNamesCount() == 0;
        List<NodeObject> nodes = objects.nodes(request.getTemplate(), names, asItIs, "addNodes.template");
        List<PodRecord> pods = new ArrayList<>();
        for (String name : names) {
            for (int i = 0; i < request.getPodsCount(); i++) {
                Pod pod = request.getPods(i);
                String podName = pod.getMetadata().getName() + "-" + name;
                pods.add(HypotheticalObjects.pod(pod, podName, objects.newUid(), name, "addNodes.pods[" + i + "]"));
            }
        }
        long more = nodes.stream().mapToLong(SessionBytes::of).sum() + bytesOf(pods);
        change(nodes.size() + pods.size(), more, 0, () -> cluster.add(nodes, pods));
        done.addAllAddedNodes(names);
    }

    /** The names of the nodes to add. */
    private List<String> names(AddNodes request) {
        int count = Limits.orDefault(request.getCount(), 1, "addNodes.count");
        boolean numbered = !request.getNamePrefix().isEmpty();
        if (numbered && request.getNamesCount() > 0) {
            throw RequestException.invalid("addNodes.names", "must be empty if namePrefix is set");
        }
        if (!numbered && request.getCount() > 0) {
            throw RequestException.invalid("addNodes.count", "must be unset unless namePrefix is set, was " + count);
        }
        if (numbered) {
            Limits.admit(count, limits.events(), "addNodes.count");
            String wrong = NodeNames.wrongBeforeNumbers(request.getNamePrefix());
            if (wrong != null) {
                throw RequestException.invalid("addNodes.namePrefix", wrong);
            }
            return HypotheticalObjects.newNames(engine, request.getNamePrefix(), count);
        }
        List<String> names = request.getNamesCount() > 0
                ? request.getNamesList()
                : List.of(request.getTemplate().getMetadata().getName());
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < names.size(); i++) {
            String field =
                    request.getNamesCount() > 0 ? "addNodes.names[" + i + "]" : "addNodes.template.metadata.name";
            String wrong = NodeNames.wrong(names.get(i));
            if (wrong == null && (!seen.add(names.get(i)) || engine.hasNode(names.get(i)))) {
                wrong = "must not be the name of another node, was " + Quotes.quoted(names.get(i));
            }
            if (wrong != null) {
                throw RequestException.invalid(field, wrong);
            }
        }
        return names;
    }

    private void removeNode(RemoveNode request, OperationDone.Builder done) {
        NodeObject node = requireNode(request.getNode(), "removeNode.node");
        List<PodRecord> pods = engine.podsOn(node.name());
        long less = SessionBytes.of(node) + bytesOf(pods);
        change(1 + pods.size(), 0, less, () -> cluster.removeNode(node.name()));
        done.setRemovedPodCount(pods.size());
    }

    private NodeObject requireNode(String name, String field) {
        NodeObject node = engine.node(name);
        if (node == null) {
            throw unknownNode(name, field);
        }
        return node;
    }

    private void requireNodeName(String name, String field) {
        if (!engine.hasNode(name)) {
            throw unknownNode(name, field);
        }
    }

    private static RequestException unknownNode(String name, String field) {
        return RequestException.of(
                ErrorReason.ERROR_REASON_NODE_UNKNOWN, "node " + Quotes.quoted(name) + " is unknown (" + field + ")");
    }

    private void changeNode(ChangeNode request) {
        NodeObject node = requireNode(request.getNode(), "changeNode.node");
        Map<String, String> labels = new HashMap<>(node.labels());
        for (int i = 0; i < request.getRemoveLabelsCount(); i++) {
            String key = request.getRemoveLabels(i);
            if (request.containsSetLabels(key)) {
                throw RequestException.invalid(
                        "changeNode.removeLabels[" + i + "]",
                        "must not be a label that setLabels sets, was " + Quotes.quoted(key));
            }
            labels.remove(key);
        }
        labels.putAll(request.getSetLabelsMap());
        Limits.admit(labels.size(), PodLimits.DEFAULT.entries(), "changeNode.setLabels");
        Limits.admit(request.getTaints().getTaintsCount(), PodLimits.DEFAULT.entries(), "changeNode.taints.taints");
        List<NodeTaint> taints = request.hasTaints()
                ? request.getTaints().getTaintsList().stream()
                        .map(taint -> new NodeTaint(taint.getKey(), taint.getValue(), taint.getEffect()))
                        .toList()
                : node.taints();
        NodeObject changed = new NodeObject(
                node.name(),
                node.uid(),
                0,
                labels,
                taints,
                request.hasUnschedulable() ? request.getUnschedulable() : node.unschedulable(),
                node.allocatable());
        change(1, SessionBytes.of(changed), SessionBytes.of(node), () -> cluster.changeNode(changed));
    }

    // ---- pods

    private void placePod(PlacePod request, OperationDone.Builder done) {
        requireNodeName(request.getNode(), "placePod.node");
        PodRecord pod = switch (request.getSubjectCase()) {
            case POD -> newPod(request.getPod(), request.getNode(), "placePod.pod");
            case POD_REFERENCE -> pending(request.getPodReference());
            case SUBJECT_NOT_SET ->
                throw RequestException.invalid("placePod.pod", "must be set unless podReference is set");
        };
        long more = request.hasPod() ? SessionBytes.of(pod) : 0;
        change(1, more, 0, () -> cluster.place(pod, request.getNode()));
        done.setPod(reference(pod));
    }

    /** A pod that the session does not have. */
    private PodRecord newPod(Pod pod, String node, String field) {
        String uid = pod.getMetadata().getUid();
        if (uid.isEmpty()) {
            uid = objects.newUid();
        } else if (engine.nodeOf(Uid.of(uid)) != null) {
            throw RequestException.invalid(
                    field + ".metadata.uid",
                    "must not be the UID of a pod of the session, to which podReference can refer, was "
                            + Quotes.quoted(uid));
        } else if (objects.mayMakeUp(uid)) {
            throw RequestException.invalid(
                    field + ".metadata.uid",
                    "must not be a UID that the session can make up, was " + Quotes.quoted(uid));
        }
        String name = pod.getMetadata().getName();
        return HypotheticalObjects.pod(pod, name.isEmpty() ? uid : name, uid, node, field);
    }

    /**
     * The record of equal pods that the session does not have, for {@code ScheduledPods}.
     *
     * @param count how many; their UIDs are reserved
     */
    PodRecord newPods(Pod pod, int count) {
        if (count == 1) {
            return newPod(pod, "", "pod");
        }
        String uid = objects.newUids(count);
        String name = pod.getMetadata().getName();
        return HypotheticalObjects.pod(pod, name.isEmpty() ? uid : name, uid, "", "pod");
    }

    /** Places pods one after another. */
    Schedule schedule(
            List<ScheduledPods> pods,
            PlacementRule rule,
            List<String> order,
            RefusalListener refusals,
            StopSignal stop) {
        int count = 0;
        long more = 0;
        for (ScheduledPods each : pods) {
            count += each.count();
            more += each.count() * SessionBytes.of(each.pod());
        }
        bytes.change(count, more, 0);
        try {
            Schedule schedule = cluster.schedule(new Scheduler(engine, pods, rule, order, refusals, stop));
            for (int item = 0; item < pods.size(); item++) {
                count -= schedule.placed(item);
                more -= schedule.placed(item) * SessionBytes.of(pods.get(item).pod());
            }
            return schedule;
        } catch (CapacityException e) {
            throw RequestException.stateFull(e);
        } finally {
            bytes.change(-count, -more, 0);
        }
    }

    private PodRecord pending(PodReference reference) {
        String field = "placePod.podReference";
        PodRecord known = requirePod(reference, field);
        if (!known.isUnbound()) {
            throw RequestException.invalid(
                    field, "must be a pending pod, was on node " + known.nodeName() + "; use movePod to move it");
        }
        return known;
    }

    private void movePod(MovePod request, OperationDone.Builder done) {
        PodRecord pod = requirePod(request.getPod(), "movePod.pod");
        if (!request.getNode().isEmpty()) {
            requireNodeName(request.getNode(), "movePod.node");
        }
        change(1, 0, 0, () -> cluster.move(PodKey.ofUid(pod.uid()), request.getNode()));
        done.setPod(reference(pod));
    }

    private void removePods(RemovePods request, OperationDone.Builder done) {
        Map<String, PodRecord> pods = new LinkedHashMap<>();
        for (int i = 0; i < request.getPodsCount(); i++) {
            PodRecord pod = requirePod(request.getPods(i), "removePods.pods[" + i + "]");
            pods.put(pod.uid(), pod);
        }
        long less = pods.values().stream().mapToLong(SessionBytes::of).sum();
        change(pods.size(), 0, less, () -> pods.keySet().forEach(uid -> cluster.remove(PodKey.ofUid(uid))));
        done.setRemovedPodCount(pods.size());
    }

    private PodRecord requirePod(PodReference reference, String field) {
        PodKey key = PodReferences.require(reference, field);
        PodRecord pod = engine.record(key);
        if (pod == null) {
            throw PodReferences.unknown(key, field);
        }
        return pod;
    }

    private static PodReference reference(PodRecord pod) {
        return PodReferences.of(pod.uid(), pod.namespace(), pod.name());
    }
}
