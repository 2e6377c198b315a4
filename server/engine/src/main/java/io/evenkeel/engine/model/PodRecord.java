package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.StringTable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A pod of the cluster as offsets into a buffer: the beginning and end of each of its texts, in UTF-8. The engine reads
 * a pod from it without creating an object for any part.
 *
 * <pre>
 *   bytes   [ …  uid … | … name … | … key … | … value … | … ]
 *   labels  [ key from | key to | key hash | value from | value to | value hash | … ]
 *       in any order; if a key is given twice, the later value counts
 * </pre>
 *
 * Hashes and the numbers of the UID are computed when the texts are set, so that this happens before the engine's lock
 * is taken. Not safe for use by several threads. The bytes must not change while the record is used.
 */
public final class PodRecord {
    public static final int LABEL = 6;
    private static final int VALUE = 3;
    private static final int HASH = 2;

    public final byte[] bytes;
    public final Uid uid = new Uid();
    public int namespaceFrom;
    public int namespaceTo;
    public int nameFrom;
    public int nameTo;
    public int nameHash;
    public int nodeFrom;
    public int nodeTo;
    public int nodeHash;

    /** An unsigned integer; 0 if unknown, which always counts as newer. */
    public long resourceVersion;

    /** Whether the pod has a deletionTimestamp. If so, it is on its node but matches no constraint. */
    public boolean terminating;

    /** Whether the pod's phase is Succeeded or Failed. If so, it is on no node. */
    public boolean finished;

    public Drainability drainability = Drainability.MOVES;

    /**
     * When the pod counts as gone although it is still reported as terminating, in seconds since 1970; 0 if it is not
     * terminating, or that is unknown.
     */
    public long goneAt;

    public int priority;

    /** When the pod was started on its node, in seconds since 1970; 0 if it was not, or that is unknown. */
    public long startedAt;

    /** Whether the pod is terminating because kube-scheduler has preempted it. */
    public boolean preempted;

    public PodTemplate template = PodTemplate.EMPTY;
    public int templateHash = PodTemplate.EMPTY.hashCode();

    /** What the pod takes from the node that it is on, which may be more than its spec says while it is resized. */
    public PodRequests requests = PodRequests.UNKNOWN;

    int[] labels = {};
    public int labelEnd;

    /** A pod without any fields yet, over these bytes. */
    public PodRecord(byte[] bytes) {
        this.bytes = bytes;
        setUid(0, 0);
        setName(0, 0);
        setNode(0, 0);
    }

    /** The same pod as a record with its own bytes. */
    public static PodRecord of(PodObject pod) {
        List<String> texts = new ArrayList<>(List.of(pod.uid(), pod.namespace(), pod.name(), pod.nodeName()));
        pod.labels().forEach((key, value) -> {
            texts.add(key);
            texts.add(value);
        });
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int[] ends = new int[texts.size() + 1];
        for (int i = 0; i < texts.size(); i++) {
            bytes.writeBytes(texts.get(i).getBytes(StandardCharsets.UTF_8));
            ends[i + 1] = bytes.size();
        }
        PodRecord record = new PodRecord(bytes.toByteArray());
        record.setUid(ends[0], ends[1]);
        record.setNamespace(ends[1], ends[2]);
        record.setName(ends[2], ends[3]);
        record.setNode(ends[3], ends[4]);
        for (int i = 4; i < texts.size(); i += 2) {
            record.addLabel(ends[i], ends[i + 1], ends[i + 1], ends[i + 2]);
        }
        record.resourceVersion = pod.resourceVersion();
        record.terminating = pod.terminating();
        record.finished = pod.finished();
        record.requests = pod.requests();
        return record;
    }

    /** Sets the UID, which is opaque and not empty. Pods with equal UIDs are the same pod. */
    public void setUid(int from, int to) {
        uid.read(bytes, from, to);
    }

    /** Sets the UID, a UUID in canonical form with these bits. */
    public void setUid(int from, int to, long high, long low) {
        uid.read(bytes, from, to, high, low);
    }

    public void setNamespace(int from, int to) {
        namespaceFrom = from;
        namespaceTo = to;
    }

    public void setName(int from, int to) {
        nameFrom = from;
        nameTo = to;
        nameHash = KeyedHash.of(bytes, from, to);
    }

    /** Sets the name of the node that the pod is bound to; empty if it is not bound. The node need not be known yet. */
    public void setNode(int from, int to) {
        nodeFrom = from;
        nodeTo = to;
        nodeHash = KeyedHash.of(bytes, from, to);
    }

    /** Sets what an answer for the pod depends on in addition to its namespace and labels. */
    public void setTemplate(PodTemplate its) {
        template = its;
        templateHash = its.hashCode();
    }

    public void addLabel(int keyFrom, int keyTo, int valueFrom, int valueTo) {
        int at = labelEnd;
        if (at == labels.length) {
            labels = Arrays.copyOf(labels, at == 0 ? 4 * LABEL : at * 2);
        }
        setText(at, keyFrom, keyTo);
        setText(at + VALUE, valueFrom, valueTo);
        labelEnd = at + LABEL;
    }

    private void setText(int at, int from, int to) {
        labels[at] = from;
        labels[at + 1] = to;
        labels[at + HASH] = KeyedHash.of(bytes, from, to);
    }

    public int labelCount() {
        return labelEnd / LABEL;
    }

    /** The offset at which the first text of the labels begins; 0 if there are none. */
    public int labelsFrom() {
        int from = labelEnd == 0 ? 0 : labels[0];
        for (int at = 0; at < labelEnd; at += VALUE) {
            from = Math.min(from, labels[at]);
        }
        return from;
    }

    /** The offset at which the last text of the labels ends. */
    public int labelsTo() {
        int to = 0;
        for (int at = 0; at < labelEnd; at += VALUE) {
            to = Math.max(to, labels[at + 1]);
        }
        return to;
    }

    /** The hash of all keys and values in their order. */
    public int labelsHash() {
        int hash = labelEnd;
        for (int at = 0; at < labelEnd; at += VALUE) {
            hash = hash * 0x9E3779B1 + labels[at + HASH];
        }
        return hash;
    }

    /** Writes the beginning and end of each key and value, relative to {@code origin}. */
    public void copyLabelPlaces(int[] into, int origin) {
        for (int at = 0, place = 0; at < labelEnd; at += VALUE) {
            into[place++] = labels[at] - origin;
            into[place++] = labels[at + 1] - origin;
        }
    }

    /** Whether {@link #copyLabelPlaces} would write exactly {@code places}. */
    public boolean hasLabelsAt(int[] places, int origin) {
        for (int at = 0, place = 0; at < labelEnd; at += VALUE, place += 2) {
            if (places[place] != labels[at] - origin || places[place + 1] != labels[at + 1] - origin) {
                return false;
            }
        }
        return true;
    }

    /** Roughly how many bytes its labels, its template and its requests take. */
    public long footprint() {
        long size = template.length() + requests.bytes();
        for (int at = 0; at < labelEnd; at += VALUE) {
            size += labels[at + 1] - labels[at];
        }
        return size;
    }

    public String uid() {
        return uid.toString();
    }

    public String namespace() {
        return text(namespaceFrom, namespaceTo);
    }

    public String name() {
        return text(nameFrom, nameTo);
    }

    public String nodeName() {
        return text(nodeFrom, nodeTo);
    }

    /** Whether the pod is bound to no node. */
    public boolean isUnbound() {
        return nodeFrom == nodeTo;
    }

    /** A copy of this pod that is bound to another node; empty for none. */
    public PodRecord on(String node) {
        byte[] name = node.getBytes(StandardCharsets.UTF_8);
        PodRecord copy = withRoom(name.length);
        System.arraycopy(name, 0, copy.bytes, bytes.length, name.length);
        copy.setNode(bytes.length, bytes.length + name.length);
        return copy;
    }

    /** A copy of this pod with another UID, which is bound to no node. */
    public PodRecord withUid(String other) {
        byte[] text = other.getBytes(StandardCharsets.UTF_8);
        PodRecord copy = withRoom(text.length);
        System.arraycopy(text, 0, copy.bytes, bytes.length, text.length);
        copy.setUid(bytes.length, bytes.length + text.length);
        return copy;
    }

    /** A copy of this pod that is bound to no node, with unused bytes at the end for texts that are set later. */
    public PodRecord withRoom(int room) {
        byte[] all = Arrays.copyOf(bytes, bytes.length + room);
        PodRecord copy = new PodRecord(all);
        copy.uid.readLike(uid, all);
        copy.setNamespace(namespaceFrom, namespaceTo);
        copy.nameFrom = nameFrom;
        copy.nameTo = nameTo;
        copy.nameHash = nameHash;
        copy.resourceVersion = resourceVersion;
        copy.terminating = terminating;
        copy.finished = finished;
        copy.drainability = drainability;
        copy.goneAt = goneAt;
        copy.priority = priority;
        copy.startedAt = startedAt;
        copy.preempted = preempted;
        copy.template = template;
        copy.templateHash = templateHash;
        copy.requests = requests;
        copy.labels = Arrays.copyOf(labels, labelEnd);
        copy.labelEnd = labelEnd;
        return copy;
    }

    /** The same pod as strings. */
    public PodObject toObject() {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (int at = 0; at < labelEnd; at += LABEL) {
            pairs.put(text(labels[at], labels[at + 1]), text(labels[at + VALUE], labels[at + VALUE + 1]));
        }
        return new PodObject(
                namespace(), name(), uid(), resourceVersion, pairs, nodeName(), terminating, finished, requests);
    }

    /**
     * The id of the key ({@code text} 0) or value ({@code text} 1) of the label at {@code at}, or
     * {@link StringTable#NONE}.
     */
    public int find(int at, int text, StringTable strings) {
        int place = at + text * VALUE;
        return strings.find(bytes, labels[place], labels[place + 1], labels[place + HASH]);
    }

    /** Same as {@link #find}, but adds a use to the id, and creates the id if there is none. */
    public int acquire(int at, int text, StringTable strings) {
        int place = at + text * VALUE;
        return strings.acquire(bytes, labels[place], labels[place + 1], labels[place + HASH]);
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
}
