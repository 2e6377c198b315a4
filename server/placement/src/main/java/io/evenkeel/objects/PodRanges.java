package io.evenkeel.objects;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds the parts of a Pod's bytes that its answer depends on: those that {@link IncomingPodTranslator} and the choice
 * of default constraints read. Concatenated, these parts are the pod's <em>key</em>. Two pods with equal keys translate
 * to the same incoming pod, even if their names, UIDs, annotations, images and volumes differ. The name of the node is
 * added on demand. The rules that are not judged for the pod are found, but are not part of the key.
 *
 * <pre>
 *   Pod        metadata ───────────────────────────────┐ spec ──────────────────────────────────────────┐ status
 *   bytes      name │ namespace │ uid │ labels │ owners │ volumes │ container: image │ resources │ constraints │
 *   ranges            [────────)       [───────────────)           [)                  [──────────────────────)
 * </pre>
 *
 * <p>The key contains whole fields, including their tags; of a container only its tag and the fields that matter. It is
 * unambiguous because the tags it uses from metadata, spec and containers are all different. Fields outside the key are
 * checked as the generated parser would check them, including nested strings and messages. Fields of the key are not
 * checked here: either an equal key was parsed before, or this pod will be parsed.
 *
 * <p>An instance is reusable and does not allocate. Not thread-safe.
 */
public final class PodRanges {
    private static final int TYPE_BITS = 3;
    private static final int DELIMITED = 2;
    private static final int UID = ObjectMeta.UID_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int NODE_NAME = PodSpec.NODE_NAME_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int CONTAINERS = PodSpec.CONTAINERS_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int INIT_CONTAINERS = PodSpec.INIT_CONTAINERS_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int OVERHEAD = PodSpec.OVERHEAD_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int POD_RESOURCES = PodSpec.RESOURCES_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int PORTS = Container.PORTS_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int RESOURCES = Container.RESOURCES_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int RESTART_POLICY = Container.RESTART_POLICY_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int METADATA = Pod.METADATA_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int SPEC = Pod.SPEC_FIELD_NUMBER << TYPE_BITS | DELIMITED;

    private static final int NAMESPACE = ObjectMeta.NAMESPACE_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int LABELS = ObjectMeta.LABELS_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int OWNER_REFERENCES = ObjectMeta.OWNER_REFERENCES_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int NODE_SELECTOR = PodSpec.NODE_SELECTOR_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int AFFINITY = PodSpec.AFFINITY_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int VOLUMES = PodSpec.VOLUMES_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int GATES = PodSpec.SCHEDULING_GATES_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int CLAIMS = PodSpec.RESOURCE_CLAIMS_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int SCHEDULER_NAME = PodSpec.SCHEDULER_NAME_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int TOLERATIONS = PodSpec.TOLERATIONS_FIELD_NUMBER << TYPE_BITS | DELIMITED;
    private static final int CONSTRAINTS = PodSpec.TOPOLOGY_SPREAD_CONSTRAINTS_FIELD_NUMBER << TYPE_BITS | DELIMITED;

    private static final WireShape POD = WireShape.of(Pod.getDescriptor());
    private static final WireShape METADATA_SHAPE = POD.child(Pod.METADATA_FIELD_NUMBER);
    private static final WireShape SPEC_SHAPE = POD.child(Pod.SPEC_FIELD_NUMBER);

    private static final WireShape CONTAINER_SHAPE = SPEC_SHAPE.child(PodSpec.CONTAINERS_FIELD_NUMBER);

    private static final int MAX_RANGES = 256;

    /** For each range: its start and its exclusive end. */
    private final int[] bounds = new int[2 * MAX_RANGES];

    private byte[] bytes = {};
    private int used;
    private int size;
    private boolean tooMany;
    private int unjudged;
    private int nodeFrom;
    private int nodeTo;
    private int uidFrom;
    private int uidTo;

    /**
     * Finds the ranges of the Pod that the cursor has entered, and moves the cursor to its end. The bytes must not
     * change while this instance uses them.
     *
     * @return whether the pod has a key; a pod whose fields are scattered over too many pieces has none
     * @throws InvalidProtocolBufferException if the generated parser would reject the fields outside the key, or has to
     *     decide about them
     */
    public boolean find(WireCursor wire) throws InvalidProtocolBufferException {
        bytes = wire.bytes();
        used = 0;
        size = 0;
        tooMany = false;
        unjudged = 0;
        nodeFrom = 0;
        nodeTo = 0;
        uidFrom = 0;
        uidTo = 0;
        while (wire.next()) {
            switch (wire.tag()) {
                case METADATA -> metadata(wire);
                case SPEC -> spec(wire);
                default -> POD.checkValue(wire);
            }
        }
        return !tooMany;
    }

    private void metadata(WireCursor wire) throws InvalidProtocolBufferException {
        int outer = wire.enter();
        for (int start = wire.position(); wire.next(); start = wire.position()) {
            switch (wire.tag()) {
                case NAMESPACE, LABELS, OWNER_REFERENCES -> keep(wire, start);
                case UID -> {
                    wire.readString();
                    uidFrom = wire.from();
                    uidTo = wire.position();
                }
                default -> METADATA_SHAPE.checkValue(wire);
            }
        }
        wire.leave(outer);
    }

    private void spec(WireCursor wire) throws InvalidProtocolBufferException {
        int outer = wire.enter();
        for (int start = wire.position(); wire.next(); start = wire.position()) {
            switch (wire.tag()) {
                case AFFINITY -> {
                    keep(wire, start);
                    unjudged |= UnjudgedRules.of(bytes, start, wire.position());
                }
                case VOLUMES, GATES, CLAIMS -> {
                    SPEC_SHAPE.checkValue(wire);
                    unjudged |= UnjudgedRules.of(bytes, start, wire.position());
                }
                case NODE_SELECTOR, SCHEDULER_NAME, TOLERATIONS, CONSTRAINTS, OVERHEAD, POD_RESOURCES ->
                    keep(wire, start);
                case CONTAINERS, INIT_CONTAINERS -> {
                    keep(start, wire.position());
                    container(wire);
                }
                case NODE_NAME -> {
                    wire.readString();
                    // The last one counts, even if it is empty.
                    nodeTo = wire.position();
                    nodeFrom = wire.from() == nodeTo ? nodeTo : start;
                }
                default -> SPEC_SHAPE.checkValue(wire);
            }
        }
        wire.leave(outer);
    }

    /**
     * Reads a container. Its tag is kept before it, so that the fields of two containers are not mistaken for one's.
     */
    private void container(WireCursor wire) throws InvalidProtocolBufferException {
        int outer = wire.enter();
        for (int start = wire.position(); wire.next(); start = wire.position()) {
            switch (wire.tag()) {
                case PORTS, RESOURCES, RESTART_POLICY -> keep(wire, start);
                default -> CONTAINER_SHAPE.checkValue(wire);
            }
        }
        wire.leave(outer);
    }

    private void keep(WireCursor wire, int start) throws InvalidProtocolBufferException {
        wire.readBytes();
        keep(start, wire.position());
    }

    private void keep(int start, int end) {
        size += end - start;
        if (used > 0 && bounds[used - 1] == start) {
            bounds[used - 1] = end;
        } else if (used < bounds.length) {
            bounds[used++] = start;
            bounds[used++] = end;
        } else {
            tooMany = true;
        }
    }

    /** The rules that the pod's fields call for and that are not judged; see {@link UnjudgedRules}. */
    public int unjudged() {
        return unjudged;
    }

    /** The UID of a pod that names a node; empty if it has none, or names no node. */
    public String uidIfNamingNode() {
        return nodeFrom < nodeTo ? new String(bytes, uidFrom, uidTo - uidFrom, StandardCharsets.UTF_8) : "";
    }

    /**
     * Adds the name of the node, if there is one, to the key. Without this, pods that differ only in their nodes have
     * equal keys.
     *
     * @return whether the pod still has a key
     */
    public boolean addNodeName() {
        if (nodeFrom < nodeTo) {
            keep(nodeFrom, nodeTo);
        }
        return !tooMany;
    }

    /** The length of the key, in bytes. */
    public int size() {
        return size;
    }

    /** A keyed hash of the key, with a secret per process. Different keys may have equal hashes. */
    public long hash() {
        long hash = 0;
        for (int i = 0; i < used; i += 2) {
            hash = KeyedHash.of(hash, bytes, bounds[i], bounds[i + 1]);
        }
        return hash;
    }

    /** True if the key equals {@code key}, byte for byte. */
    public boolean isKey(byte[] key) {
        if (key.length != size) {
            return false;
        }
        int at = 0;
        for (int i = 0; i < used; i += 2) {
            int length = bounds[i + 1] - bounds[i];
            if (!Arrays.equals(bytes, bounds[i], bounds[i + 1], key, at, at + length)) {
                return false;
            }
            at += length;
        }
        return true;
    }

    /** Returns a copy of the key. */
    public byte[] copy() {
        byte[] key = new byte[size];
        int at = 0;
        for (int i = 0; i < used; i += 2) {
            int length = bounds[i + 1] - bounds[i];
            System.arraycopy(bytes, bounds[i], key, at, length);
            at += length;
        }
        return key;
    }
}
