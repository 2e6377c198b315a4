package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.StoredObjectTranslator;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.LongStream;

/** Makes the objects that a hypothetical cluster gets from requests. Not thread-safe. */
final class HypotheticalObjects {
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final String DEFAULT_NAMESPACE = "default";

    /** How many characters of the text of a UUID its first half has. */
    private static final int UID_PREFIX = 19;

    /** UIDs are made of this and a number. */
    private final long uidPrefix = new SecureRandom().nextLong();

    private long uids;

    String newUid() {
        return new UUID(uidPrefix, ++uids).toString();
    }

    /** A UID after which the next {@code count} numbers are not used for others. */
    String newUids(int count) {
        String uid = newUid();
        uids += count;
        return uid;
    }

    /** Whether a UID is one of those that are yet to be made up. */
    boolean mayMakeUp(String uid) {
        String last = new UUID(uidPrefix, uids).toString();
        return uid.startsWith(last.substring(0, UID_PREFIX)) && uid.compareTo(last) > 0;
    }

    /**
     * A node that equals a template.
     *
     * @param asItIs whether to omit the hostname label with the node's name
     * @param field the path of the template in the request
     */
    NodeObject node(Node template, String name, boolean asItIs, String field) {
        ObjectMeta.Builder metadata = template.getMetadata().toBuilder()
                .setName(name)
                .setUid(newUid())
                .clearResourceVersion();
        if (!asItIs) {
            metadata.putLabels(HOSTNAME, name);
        }
        try {
            return StoredObjectTranslator.node(
                    template.toBuilder().setMetadata(metadata).build(), Change.ADDED);
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(e, field);
        }
    }

    /** Nodes that equal a template. The parameters are those of {@link #node}. */
    List<NodeObject> nodes(Node template, List<String> names, boolean asItIs, String field) {
        List<NodeObject> nodes = new ArrayList<>(names.size());
        NodeObject read = null;
        for (String name : names) {
            // The template is valid with a name if it is with a longer one.
            if (read == null || name.length() > read.name().length()) {
                read = node(template, name, asItIs, field);
                nodes.add(read);
            } else {
                nodes.add(named(read, name, asItIs));
            }
        }
        return nodes;
    }

    private NodeObject named(NodeObject like, String name, boolean asItIs) {
        Map<String, String> labels = new HashMap<>(like.labels());
        if (!asItIs) {
            labels.put(HOSTNAME, name);
        }
        return new NodeObject(name, newUid(), 0, labels, like.taints(), like.unschedulable(), like.allocatable());
    }

    /** Names for new nodes: a prefix and the lowest numbers that are not taken. */
    static List<String> newNames(SpreadEngine engine, String prefix, int count) {
        return LongStream.iterate(1, number -> number + 1)
                .mapToObj(number -> prefix + number)
                .filter(name -> !engine.hasNode(name))
                .limit(count)
                .toList();
    }

    /** The namespace of a pod. */
    static String namespace(ObjectMeta pod) {
        return pod.getNamespace().isEmpty() ? DEFAULT_NAMESPACE : pod.getNamespace();
    }

    /**
     * A pod on a node.
     *
     * @param field the path of the pod in the request
     */
    static PodRecord pod(Pod pod, String name, String uid, String node, String field) {
        ObjectMeta.Builder metadata =
                pod.getMetadata().toBuilder().setName(name).setUid(uid).clearResourceVersion();
        metadata.setNamespace(namespace(pod.getMetadata()));
        Pod.Builder placed = pod.toBuilder().setMetadata(metadata);
        placed.getSpecBuilder().setNodeName(node);
        try {
            return PodScanner.record(placed.build(), Change.ADDED);
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(e, field);
        }
    }
}
