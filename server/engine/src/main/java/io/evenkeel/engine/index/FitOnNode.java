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
        int more = in ? -1 : 1;
        free[0] += more;
        for (int k = 1; k < free.length; k++) {
            free[k] += more * of.amount(resource(k));
        }
        if (!of.hostPorts().isEmpty()) {
            shiftPorts(ports, of, in);
        }
    }

    /** Adds the requests of a pod that has host ports to those on a node, or removes them. */
    public static void shiftPorts(List<PodRequests> taken, PodRequests of, boolean in) {
        if (in) {
            taken.add(of);
        } else {
            taken.remove(of);
        }
    }

    private String resource(int kind) {
        return requests.amounts().get(kind - 1).resource();
    }

    /** The first rule that excludes the node; null if the pod fits. */
    public @Nullable Reason reason() {
        if (!arePortsFree(requests, ports)) {
            return Reason.HOST_PORTS;
        }
        Reason reason = null;
        for (int k = 0; k < asked.length; k++) {
            if (asked[k] > free[k]) {
                if (k > 0 && asked[k] > allocatable.amount(resource(k))) {
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

    /** Whether none of these pods has a host port that conflicts with one that is asked for. */
    public static boolean arePortsFree(PodRequests asking, List<PodRequests> taken) {
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
