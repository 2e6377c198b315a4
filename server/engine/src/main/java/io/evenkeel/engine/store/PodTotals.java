package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;

/** Keeps two totals: how many pods count on known nodes, and how many pods are on hosts whose node is not known. */
final class PodTotals {
    private final HostTable hosts;
    private final PodTable pods;
    private final PodList podsOnHost;
    private int counted;
    private int onUnknownNodes;

    PodTotals(HostTable hosts, PodTable pods, PodList podsOnHost) {
        this.hosts = hosts;
        this.pods = pods;
        this.podsOnHost = podsOnHost;
    }

    /** A copy for copies of the other's tables. */
    PodTotals(PodTotals other, HostTable hosts, PodTable pods, PodList podsOnHost) {
        this(hosts, pods, podsOnHost);
        counted = other.counted;
        onUnknownNodes = other.onUnknownNodes;
    }

    int counted() {
        return counted;
    }

    int onUnknownNodes() {
        return onUnknownNodes;
    }

    /** Called when the node of a host was added or removed: all its pods begin to count, or no longer count. */
    void hostCounts(int host, boolean in) {
        for (int pod = podsOnHost.first(host); pod != PodList.NONE; pod = podsOnHost.next(pod)) {
            onUnknownNodes += in ? -1 : 1;
            if (pods.counts(pod)) {
                counted += in ? 1 : -1;
            }
        }
    }

    /** Called when a pod was added to a host, or is about to leave it. */
    void podCounts(int pod, int host, boolean in) {
        int more = in ? 1 : -1;
        if (hosts.slot(host) == NodeSlots.NONE) {
            onUnknownNodes += more;
        } else if (pods.counts(pod)) {
            counted += more;
        }
    }
}
