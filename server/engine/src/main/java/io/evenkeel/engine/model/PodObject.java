package io.evenkeel.engine.model;

import java.util.Map;

/**
 * A pod of the cluster as strings, reduced to the fields that answers about other pods depend on. The engine takes pods
 * as {@link PodRecord}, which creates fewer objects.
 *
 * @param uid opaque, not empty; pods with equal UIDs are the same pod
 * @param resourceVersion as an unsigned integer; 0 if unknown, which always counts as newer
 * @param nodeName empty if the pod is not bound; the node need not be known yet
 * @param terminating whether it has a deletionTimestamp: it is on its node but matches no constraint
 * @param finished whether its phase is Succeeded or Failed: it is on no node
 * @param requests what it takes from its node
 */
public record PodObject(
        String namespace,
        String name,
        String uid,
        long resourceVersion,
        Map<String, String> labels,
        String nodeName,
        boolean terminating,
        boolean finished,
        PodRequests requests) {
    /** A pod whose containers were not given. */
    public PodObject(
            String namespace,
            String name,
            String uid,
            long resourceVersion,
            Map<String, String> labels,
            String nodeName,
            boolean terminating,
            boolean finished) {
        this(namespace, name, uid, resourceVersion, labels, nodeName, terminating, finished, PodRequests.UNKNOWN);
    }
}
