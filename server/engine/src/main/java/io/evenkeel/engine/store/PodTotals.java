package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;

/** How many pods count on a node, and how many are on a host whose node is not known. */
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

    int counted() {
        return counted;
    }

    int onUnknownNodes() {
        return onUnknownNodes;
    }

    /** A host has got its node, or has lost it: all its pods begin to count, or no longer do. */
    void hostCounts(int host, boolean in) {
        for (int pod = podsOnHost.first(host); pod != PodList.NONE; pod = podsOnHost.next(pod)) {
            onUnknownNodes += in ? -1 : 1;
            if (pods.counts(pod)) {
                counted += in ? 1 : -1;
            }
        }
    }

    /** A pod has come to a host, or leaves it. */
    void podCounts(int pod, int host, boolean in) {
        int more = in ? 1 : -1;
        if (hosts.slot(host) == NodeTable.NONE) {
            onUnknownNodes += more;
        } else if (pods.counts(pod)) {
            counted += more;
        }
    }
}
