package io.evenkeel.engine.index;

import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Whether a pod fits on one node, from which pods can be removed and to which others can be added. Needs no lock. */
public final class FitOnNode {
    private final PodRequests requests;
    private final NodeAllocatable allocatable;
    private final long[] asked;
    private final long[] free;
    private final List<PodRequests> ports;

    /**
     * @param allocatable what the node has for pods
     * @param asked how much of each kind is asked for
     * @param free how much of each kind is free
     * @param ports the requests with host ports of the pods on the node
     */
    FitOnNode(PodRequests requests, NodeAllocatable allocatable, long[] asked, long[] free, List<PodRequests> ports) {
        this.requests = requests;
        this.allocatable = allocatable;
        this.asked = asked;
        this.free = free;
        this.ports = new ArrayList<>(ports);
    }

    /** Adds a pod to the node, or removes it. */
    public void shift(PodRequests of, boolean in) {
        free[0] -= in ? 1 : -1;
        for (PodRequests.Amount amount : of.amounts()) {
            for (int k = 1; k < asked.length; k++) {
                if (requests.amounts().get(k - 1).resource().equals(amount.resource())) {
                    free[k] -= in ? amount.amount() : -amount.amount();
                }
            }
        }
        if (!of.hostPorts().isEmpty()) {
            if (in) {
                ports.add(of);
            } else {
                ports.remove(of);
            }
        }
    }

    /** The first rule that excludes the node; null if the pod fits. */
    public @Nullable Reason reason() {
        if (!arePortsFree(requests, ports)) {
            return Reason.HOST_PORTS;
        }
        Reason reason = null;
        for (int k = 0; k < asked.length; k++) {
            if (asked[k] > free[k]) {
                if (k > 0
                        && asked[k]
                                > allocatable.amount(
                                        requests.amounts().get(k - 1).resource())) {
                    return Reason.RESOURCES_OF_NODE;
                }
                reason = Reason.FREE_RESOURCES;
            }
        }
        return reason;
    }

    /** kube-scheduler's messages for the resources that the node lacks, separated by commas. */
    public String shortages() {
        StringJoiner all = new StringJoiner(", ");
        for (int k = 0; k < asked.length; k++) {
            if (asked[k] > free[k]) {
                all.add(message(requests, k));
            }
        }
        return all.toString();
    }

    static String message(PodRequests asking, int kind) {
        return kind == 0
                ? "Too many pods"
                : "Insufficient " + asking.amounts().get(kind - 1).resource();
    }

    static boolean arePortsFree(PodRequests asking, List<PodRequests> taken) {
        for (PodRequests other : taken) {
            for (HostPort theirs : other.hostPorts()) {
                for (HostPort own : asking.hostPorts()) {
                    if (own.conflictsWith(theirs)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }
}
