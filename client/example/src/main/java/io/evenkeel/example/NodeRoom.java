package io.evenkeel.example;

import io.evenkeel.v1.NodeScore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the nodes have, and the pods on them take. Safe for use by several threads. */
final class NodeRoom {
    /** @param assumed whether the watch has not shown the pod on its node yet */
    private record Placed(String node, Resources requests, boolean assumed) {}

    private final Map<String, Resources> allocatable = new HashMap<>();
    private final Map<String, Resources> taken = new HashMap<>();
    private final Map<String, Placed> pods = new HashMap<>();

    synchronized void putNode(String name, Resources has) {
        allocatable.put(name, has);
    }

    synchronized void keepNodes(Set<String> names) {
        allocatable.keySet().retainAll(names);
    }

    synchronized void removeNode(String name) {
        allocatable.remove(name);
    }

    /**
     * Among the nodes of the highest score that have room, the one with the most CPU left; null where none has room.
     */
    synchronized @Nullable String emptiest(List<NodeScore> bestFirst, Resources requests) {
        NodeScore chosen = null;
        Resources most = Resources.NONE;
        for (NodeScore node : bestFirst) {
            if (chosen != null && node.getScore() < chosen.getScore()) {
                break;
            }
            Resources left = leftFor(requests, node.getName());
            if (left.pods() > 0 && (chosen == null || left.cpu() > most.cpu())) {
                chosen = node;
                most = left;
            }
        }
        return chosen == null ? null : chosen.getName();
    }

    /** What is left on a node, where the requests fit; nothing where they do not. */
    private Resources leftFor(Resources requests, String node) {
        Resources left = allocatable.getOrDefault(node, Resources.NONE).minus(taken.getOrDefault(node, Resources.NONE));
        return left.covers(requests) ? left : Resources.NONE;
    }

    synchronized boolean holds(String uid) {
        return pods.containsKey(uid);
    }

    synchronized void put(String uid, String node, Resources requests, boolean assumed) {
        remove(uid);
        pods.put(uid, new Placed(node, requests, assumed));
        taken.merge(node, requests, Resources::plus);
    }

    synchronized void remove(String uid) {
        Placed placed = pods.remove(uid);
        if (placed != null) {
            taken.computeIfPresent(placed.node, (node, all) -> all.minus(placed.requests));
        }
    }

    /** Removes a pod that is only assumed; returns false where there is no such pod any more. */
    synchronized boolean giveBack(String uid) {
        Placed placed = pods.get(uid);
        if (placed == null || !placed.assumed) {
            return false;
        }
        remove(uid);
        return true;
    }

    /** Removes the pods that the API server does not have any more. */
    synchronized void keepPods(Set<String> uids) {
        for (String uid : Set.copyOf(pods.keySet())) {
            if (!uids.contains(uid)) {
                remove(uid);
            }
        }
    }
}
