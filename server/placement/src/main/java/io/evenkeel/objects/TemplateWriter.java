package io.evenkeel.objects;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StringValue;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.v1.Affinity;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.NodeAffinity;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.PodSpec;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Writes the template of a pod from the fields that {@link KeyScanner} has found. A template contains what an answer or
 * an explanation depends on, except for namespace and labels. Pods of one workload therefore have equal templates, and
 * pods without containers, constraints, owner, tolerations, node selector and node affinity have an empty one.
 * {@link TemplateReader} reads templates.
 *
 * <pre>
 *   template   fields of a protobuf message, in the order in which the pod has them; the owner is last
 *
 *     nodeSelector, tolerations, topologySpreadConstraints    as in PodSpec, byte for byte
 *     schedulerName       as in PodSpec, unless it is the default
 *     TERMS               a NodeSelector: the required node affinity
 *     PREFERRED           a PreferredSchedulingTerm: each term of the preferred node affinity
 *     OWN_NODE            replaces TERMS that match only the pod's own node, by its name
 *     UNJUDGED            the rules that are not judged for the pod, if any ({@link UnjudgedRules})
 *     REQUESTS            a Container that requests what the pod asks for; none if the pod was given without containers
 *     ownerReferences     as in ObjectMeta, the controller only. Its name is kept unless it is a node, because the
 *                         pods of one static manifest then have equal templates. Default constraints may use the
 *                         controller's selector, and explanations name it.
 *
 *   pieces     [ kind | from | to | … ]      the position of each piece in the pod's bytes
 * </pre>
 *
 * The controller of a DaemonSet gives each pod an affinity to the name of its node. OWN_NODE makes the templates of all
 * these pods equal.
 *
 * <p>An instance is used for one pod after another. Not thread-safe.
 */
final class TemplateWriter {
    /** Field numbers that neither PodSpec nor ObjectMeta uses. */
    static final int TERMS_FIELD = 1001;

    static final int OWN_NODE_FIELD = 1002;
    static final int REQUESTS_FIELD = 1003;
    static final int UNJUDGED_FIELD = 1004;
    static final int PREFERRED_FIELD = 1005;

    private static final int OWNERS = WireCursor.delimited(ObjectMeta.OWNER_REFERENCES_FIELD_NUMBER);
    private static final int OWNER_KIND = WireCursor.delimited(OwnerReference.KIND_FIELD_NUMBER);
    private static final int OWNER_NAME = WireCursor.delimited(OwnerReference.NAME_FIELD_NUMBER);
    private static final int OWNER_VERSION = WireCursor.delimited(OwnerReference.API_VERSION_FIELD_NUMBER);
    private static final int CONTROLLER = WireCursor.varint(OwnerReference.CONTROLLER_FIELD_NUMBER);

    private static final int NODE_SELECTOR = WireCursor.delimited(PodSpec.NODE_SELECTOR_FIELD_NUMBER);
    private static final int AFFINITY = WireCursor.delimited(PodSpec.AFFINITY_FIELD_NUMBER);
    private static final int SCHEDULER_NAME = WireCursor.delimited(PodSpec.SCHEDULER_NAME_FIELD_NUMBER);
    private static final int TOLERATIONS = WireCursor.delimited(PodSpec.TOLERATIONS_FIELD_NUMBER);
    private static final int CONSTRAINTS = WireCursor.delimited(PodSpec.TOPOLOGY_SPREAD_CONSTRAINTS_FIELD_NUMBER);
    private static final int NODE_AFFINITY = WireCursor.delimited(Affinity.NODE_AFFINITY_FIELD_NUMBER);
    private static final int REQUIRED =
            WireCursor.delimited(NodeAffinity.REQUIRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION_FIELD_NUMBER);
    private static final int PREFERRED =
            WireCursor.delimited(NodeAffinity.PREFERRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION_FIELD_NUMBER);

    private static final byte[] DAEMON_SET = ascii("DaemonSet");
    private static final List<byte[]> REPLICATING =
            List.of(ascii("ReplicaSet"), ascii("StatefulSet"), ascii("Job"), ascii("ReplicationController"));
    private static final byte[] DEFAULT_SCHEDULER = ascii("default-scheduler");
    private static final byte[] NODE = ascii("Node");

    /** The node affinity requirement of a DaemonSet's pod, without the name of the node. */
    static final NodeSelectorRequirement BY_NAME = NodeSelectorRequirement.newBuilder()
            .setKey("metadata.name")
            .setOperator("In")
            .build();

    /** The bytes before the value in that requirement. */
    private static final byte[] NAME_IN = nameIn();

    private static final int PIECE = 3;
    private static final int COPIED = 0;
    private static final int TERMS = 1;
    private static final int PREFERENCE = 2;

    private int[] pieces = {};
    private final WireOutput draft = new WireOutput();
    private byte[] bytes = {};
    private int end;
    private int terms;
    private int schedulerFrom;
    private int schedulerTo;

    /**
     * Whether there is a controller, and the positions of its fields including their tags. The first controller counts.
     */
    private boolean controlled;

    private final int[] kind = new int[PIECE];
    private final int[] name = new int[PIECE];
    private final int[] version = new int[PIECE];

    /** Starts the next pod. */
    void begin(byte[] of) {
        bytes = of;
        end = 0;
        terms = 0;
        controlled = false;
        schedulerFrom = 0;
        schedulerTo = 0;
    }

    /** Reads owner references and fields of PodSpec, including their tags. They have been checked before. */
    void read(int from, int to) {
        WireCursor wire = new WireCursor(bytes, from, to);
        try {
            for (int start = from; wire.next(); start = wire.position()) {
                readField(wire, start);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("bytes that were checked do not parse", e);
        }
    }

    private void readField(WireCursor wire, int start) throws InvalidProtocolBufferException {
        int tag = wire.tag();
        if (tag == OWNERS) {
            owner(wire);
        } else if (tag == NODE_SELECTOR || tag == TOLERATIONS || tag == CONSTRAINTS) {
            wire.skip();
            add(COPIED, start, wire.position());
        } else if (tag == AFFINITY) {
            int outer = wire.enter();
            affinity(wire);
            wire.leave(outer);
        } else if (tag == SCHEDULER_NAME) {
            wire.readBytes();
            boolean isDefault = wire.from() == wire.position() || isText(DEFAULT_SCHEDULER, wire);
            schedulerFrom = isDefault ? 0 : start;
            schedulerTo = isDefault ? 0 : wire.position();
        } else {
            wire.skip();
        }
    }

    private void affinity(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            if (wire.tag() == NODE_AFFINITY) {
                int outer = wire.enter();
                nodeAffinity(wire);
                wire.leave(outer);
            } else {
                wire.skip();
            }
        }
    }

    private void nodeAffinity(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            if (wire.tag() == REQUIRED) {
                wire.readBytes();
                terms++;
                add(TERMS, wire.from(), wire.position());
            } else if (wire.tag() == PREFERRED) {
                wire.readBytes();
                add(PREFERENCE, wire.from(), wire.position());
            } else {
                wire.skip();
            }
        }
    }

    private void owner(WireCursor wire) throws InvalidProtocolBufferException {
        if (controlled) {
            wire.skip();
            return;
        }
        Arrays.fill(kind, 0);
        Arrays.fill(name, 0);
        Arrays.fill(version, 0);
        int outer = wire.enter();
        for (int start = wire.position(); wire.next(); start = wire.position()) {
            ownerField(wire, start);
        }
        wire.leave(outer);
    }

    private void ownerField(WireCursor wire, int start) throws InvalidProtocolBufferException {
        int tag = wire.tag();
        if (tag == OWNER_KIND || tag == OWNER_NAME || tag == OWNER_VERSION) {
            int[] text = tag == OWNER_KIND ? kind : tag == OWNER_NAME ? name : version;
            wire.readBytes();
            text[0] = start;
            text[1] = wire.from();
            text[2] = wire.position();
        } else if (tag == CONTROLLER) {
            controlled = wire.readVarint() != 0;
        } else {
            wire.skip();
        }
    }

    private void add(int ofKind, int from, int to) {
        if (end > 0 && ofKind == COPIED && pieces[end - PIECE] == COPIED && pieces[end - 1] == from) {
            pieces[end - 1] = to;
            return;
        }
        if (end == pieces.length) {
            pieces = Arrays.copyOf(pieces, Math.max(end * 2, 4 * PIECE));
        }
        pieces[end] = ofKind;
        pieces[end + 1] = from;
        pieces[end + 2] = to;
        end += PIECE;
    }

    /**
     * Returns the template.
     *
     * @param nodeFrom start of the name of the pod's node in the pod's bytes, which OWN_NODE replaces
     * @param nodeTo exclusive end of that name, which is empty if the pod has no node yet or will be on another one
     * @param asked what the pod asks for by its spec
     * @param unjudged the rules that its fields call for and that are not judged
     */
    PodTemplate write(int nodeFrom, int nodeTo, PodRequests asked, int unjudged) {
        draft.clear();
        for (int at = 0; at < end; at += PIECE) {
            int from = pieces[at + 1];
            int to = pieces[at + 2];
            if (pieces[at] == COPIED) {
                draft.append(bytes, from, to);
            } else if (pieces[at] == PREFERENCE) {
                writeField(PREFERRED_FIELD, from, to);
            } else if (terms == 1 && areOwnNode(from, to, nodeFrom, nodeTo)) {
                draft.number(OWN_NODE_FIELD, 1);
            } else {
                writeField(TERMS_FIELD, from, to);
            }
        }
        draft.append(bytes, schedulerFrom, schedulerTo);
        draft.number(UNJUDGED_FIELD, unjudged);
        if (asked.isKnown()) {
            draft.message(REQUESTS_FIELD, container(asked));
        }
        if (controlled) {
            writeController();
        }
        return PodTemplate.of(draft.array(), 0, draft.size());
    }

    /** Writes a message of the pod as a field. */
    private void writeField(int field, int from, int to) {
        draft.beginMessage(field, to - from);
        draft.append(bytes, from, to);
    }

    private static Container container(PodRequests asked) {
        Container.Builder container = Container.newBuilder();
        for (PodRequests.Amount amount : asked.amounts()) {
            String unit = amount.resource().equals(PodRequests.CPU) ? "m" : "";
            container.getResourcesBuilder().putRequests(amount.resource(), StringValue.of(amount.amount() + unit));
        }
        for (HostPort port : asked.hostPorts()) {
            container.addPorts(ContainerPort.newBuilder()
                    .setHostIp(port.ip())
                    .setProtocol(port.protocol())
                    .setHostPort(port.port()));
        }
        return container.build();
    }

    /** The kind of the pod's controller. */
    KnownPod.Controller controller() {
        if (!controlled) {
            return KnownPod.Controller.NONE;
        }
        return isKind(DAEMON_SET)
                ? KnownPod.Controller.DAEMON_SET
                : REPLICATING.stream().anyMatch(this::isKind)
                        ? KnownPod.Controller.REPLICATING
                        : KnownPod.Controller.NONE;
    }

    private boolean isKind(byte[] sought) {
        return Arrays.equals(bytes, kind[1], kind[2], sought, 0, sought.length);
    }

    /** True if the template may depend on the pod's node. */
    boolean mayNameItsNode() {
        for (int at = 0; at < end; at += PIECE) {
            if (pieces[at] == TERMS && contains(pieces[at + 1], pieces[at + 2], NAME_IN)) {
                return true;
            }
        }
        return false;
    }

    private boolean contains(int from, int to, byte[] sought) {
        for (int at = from; at <= to - sought.length; at++) {
            if (Arrays.equals(bytes, at, at + sought.length, sought, 0, sought.length)) {
                return true;
            }
        }
        return false;
    }

    private void writeController() {
        draft.open(ObjectMeta.OWNER_REFERENCES_FIELD_NUMBER, name[2] - name[0]);
        if (!isKind(NODE)) {
            draft.append(bytes, kind[0], kind[2]);
            draft.append(bytes, name[0], name[2]);
            draft.append(bytes, version[0], version[2]);
        }
        draft.number(OwnerReference.CONTROLLER_FIELD_NUMBER, 1);
        draft.close();
    }

    /** True if a NodeSelector is exactly {@code metadata.name In (the pod's node)}, as in a DaemonSet's pod. */
    private boolean areOwnNode(int from, int to, int nodeFrom, int nodeTo) {
        int node = nodeTo - nodeFrom;
        if (node == 0 || to - from <= node) {
            return false;
        }
        int before = draft.size();
        draft.open(NodeSelector.NODE_SELECTOR_TERMS_FIELD_NUMBER, to - from);
        draft.open(NodeSelectorTerm.MATCH_FIELDS_FIELD_NUMBER, to - from);
        draft.append(NAME_IN, 0, NAME_IN.length);
        draft.varint(node);
        draft.append(bytes, nodeFrom, nodeTo);
        draft.close();
        draft.close();
        int after = draft.size();
        draft.cutTo(before);
        return Arrays.equals(bytes, from, to, draft.array(), before, after);
    }

    private static byte[] nameIn() {
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        made.writeBytes(BY_NAME.toByteArray());
        made.write(WireCursor.delimited(NodeSelectorRequirement.VALUES_FIELD_NUMBER));
        return made.toByteArray();
    }

    private static boolean isText(byte[] text, WireCursor wire) {
        return Arrays.equals(wire.bytes(), wire.from(), wire.position(), text, 0, text.length);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
