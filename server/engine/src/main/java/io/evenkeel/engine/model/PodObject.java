package io.evenkeel.engine.model;

import java.util.Map;

/**
 * A pod of the cluster, as far as spread counts it, as values; the engine stores it as a {@link PodRecord}.
 *
 * @param uid opaque, not empty: a pod is its UID
 * @param resourceVersion as an unsigned integer; 0 where unknown, which is always taken as newer
 * @param nodeName empty where the pod is not bound; the node need not be known yet
 * @param terminating whether it carries a deletionTimestamp: it is on its node but matches no constraint
 * @param finished whether its phase is Succeeded or Failed: it is on no node
 */
public record PodObject(
        String namespace,
        String name,
        String uid,
        long resourceVersion,
        Map<String, String> labels,
        String nodeName,
        boolean terminating,
        boolean finished) {}
