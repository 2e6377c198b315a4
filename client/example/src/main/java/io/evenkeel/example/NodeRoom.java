package io.evenkeel.example;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

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

    /** What is left on a node, where the requests fit; nothing where they do not. */
    synchronized Resources leftFor(Resources requests, String node) {
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
