package io.evenkeel.example;

import io.evenkeel.v1.NodeScore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tracks the nodes' allocatable resources and what the pods on them use. Thread-safe. */
final class NodeCapacity {
    /** @param assumed whether the watch has not yet confirmed the pod on its node */
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

    /** The node with the most free CPU among the highest-scoring nodes that have room; null if none has room. */
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

    /** The free resources of a node if the requests fit, otherwise nothing. */
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

    /** Removes an assumed pod. Returns false if the pod is gone or no longer assumed. */
    synchronized boolean giveBack(String uid) {
        Placed placed = pods.get(uid);
        if (placed == null || !placed.assumed) {
            return false;
        }
        remove(uid);
        return true;
    }

    /** Removes the pods that the API server no longer has. */
    synchronized void keepPods(Set<String> uids) {
        for (String uid : Set.copyOf(pods.keySet())) {
            if (!uids.contains(uid)) {
                remove(uid);
            }
        }
    }
}
