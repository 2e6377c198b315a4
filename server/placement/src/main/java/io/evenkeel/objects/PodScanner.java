package io.evenkeel.objects;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads a pod of the cluster from its bytes into a {@link PodRecord}, without creating objects for the fields that the
 * engine does not store. Call {@link #begin}, {@link #scan} and {@link #finish} for each pod. A pod needs a UID, a name
 * and a namespace; a {@link Change#DELETED} pod needs only its UID. Other fields are not validated because the API
 * server has validated them. Malformed bytes are rejected just as the generated parser rejects them.
 *
 * <p>An instance reads one pod after another. Not thread-safe.
 */
public final class PodScanner {
    private static final int METADATA = WireCursor.delimited(Pod.METADATA_FIELD_NUMBER);
    private static final int SPEC = WireCursor.delimited(Pod.SPEC_FIELD_NUMBER);
    private static final int STATUS = WireCursor.delimited(Pod.STATUS_FIELD_NUMBER);
    private static final WireShape POD_SHAPE = WireShape.of(Pod.getDescriptor());
    private static final WireShape METADATA_SHAPE = POD_SHAPE.child(Pod.METADATA_FIELD_NUMBER);
    private static final WireShape SPEC_SHAPE = POD_SHAPE.child(Pod.SPEC_FIELD_NUMBER);
    private static final WireShape STATUS_SHAPE = POD_SHAPE.child(Pod.STATUS_FIELD_NUMBER);
    private static final FieldPath NODE_NAME = FieldPath.ROOT.field("spec").field("nodeName");

    private static final int NAME = WireCursor.delimited(ObjectMeta.NAME_FIELD_NUMBER);
    private static final int NAMESPACE = WireCursor.delimited(ObjectMeta.NAMESPACE_FIELD_NUMBER);
    private static final int UID = WireCursor.delimited(ObjectMeta.UID_FIELD_NUMBER);
    private static final int RESOURCE_VERSION = WireCursor.delimited(ObjectMeta.RESOURCE_VERSION_FIELD_NUMBER);
    private static final int DELETION_TIMESTAMP = WireCursor.delimited(ObjectMeta.DELETION_TIMESTAMP_FIELD_NUMBER);
    private static final int LABELS = WireCursor.delimited(ObjectMeta.LABELS_FIELD_NUMBER);
    private static final int ANNOTATIONS = WireCursor.delimited(ObjectMeta.ANNOTATIONS_FIELD_NUMBER);
    private static final int ENTRY_KEY = WireCursor.delimited(1);
    private static final int ENTRY_VALUE = WireCursor.delimited(2);
    private static final int OWNERS = WireCursor.delimited(ObjectMeta.OWNER_REFERENCES_FIELD_NUMBER);
    private static final int NODE_SELECTOR = WireCursor.delimited(PodSpec.NODE_SELECTOR_FIELD_NUMBER);
    private static final int AFFINITY = WireCursor.delimited(PodSpec.AFFINITY_FIELD_NUMBER);
    private static final int SCHEDULER_NAME = WireCursor.delimited(PodSpec.SCHEDULER_NAME_FIELD_NUMBER);
    private static final int TOLERATIONS = WireCursor.delimited(PodSpec.TOLERATIONS_FIELD_NUMBER);
    private static final int CONSTRAINTS = WireCursor.delimited(PodSpec.TOPOLOGY_SPREAD_CONSTRAINTS_FIELD_NUMBER);
    private static final int NODE = WireCursor.delimited(PodSpec.NODE_NAME_FIELD_NUMBER);
    private static final int VOLUMES = WireCursor.delimited(PodSpec.VOLUMES_FIELD_NUMBER);
    private static final int GATES = WireCursor.delimited(PodSpec.SCHEDULING_GATES_FIELD_NUMBER);
    private static final int CLAIMS = WireCursor.delimited(PodSpec.RESOURCE_CLAIMS_FIELD_NUMBER);
    private static final int CONTAINERS = WireCursor.delimited(PodSpec.CONTAINERS_FIELD_NUMBER);
    private static final int INIT_CONTAINERS = WireCursor.delimited(PodSpec.INIT_CONTAINERS_FIELD_NUMBER);
    private static final int OVERHEAD = WireCursor.delimited(PodSpec.OVERHEAD_FIELD_NUMBER);
    private static final int RESOURCES = WireCursor.delimited(PodSpec.RESOURCES_FIELD_NUMBER);
    private static final int GRACE = WireCursor.varint(PodSpec.TERMINATION_GRACE_PERIOD_SECONDS_FIELD_NUMBER);
    private static final int PRIORITY = WireCursor.varint(PodSpec.PRIORITY_FIELD_NUMBER);
    private static final int START = WireCursor.delimited(PodStatus.START_TIME_FIELD_NUMBER);
    private static final int CONDITIONS = WireCursor.delimited(PodStatus.CONDITIONS_FIELD_NUMBER);
    private static final int STATUSES = WireCursor.delimited(PodStatus.CONTAINER_STATUSES_FIELD_NUMBER);
    private static final int INIT_STATUSES = WireCursor.delimited(PodStatus.INIT_CONTAINER_STATUSES_FIELD_NUMBER);
    private static final int ALLOCATED = WireCursor.delimited(PodStatus.ALLOCATED_RESOURCES_FIELD_NUMBER);
    private static final int ACTUAL = WireCursor.delimited(PodStatus.RESOURCES_FIELD_NUMBER);
    private static final int PHASE = WireCursor.delimited(PodStatus.PHASE_FIELD_NUMBER);

    private static final int SURE_DIGITS = 18;
    private static final byte[] SUCCEEDED = "Succeeded".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FAILED = "Failed".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] NOTHING = {};
    private static final PodRecord NONE = new PodRecord(NOTHING);

    private byte[] bytes = NOTHING;
    private PodRecord record = NONE;
    private final KeyScanner key;
    private final DrainReader drain = new DrainReader();
    private final ImportanceReader importance = new ImportanceReader();
    private boolean constrained;
    private int unjudged;
    private int namespaceField;
    private int labelCount;
    private int nodeFrom;
    private int nodeLength;
    private int nameLength;
    private int namespaceLength;
    private int uidLength;
    private int versionFrom;
    private int versionTo;
    private int keyFrom;
    private int keyTo;
    private int valueFrom;
    private int valueTo;

    /** A scanner whose pods do not share templates. Meant for a few pods. */
    public PodScanner() {
        key = new KeyScanner(null);
    }

    /** @param templates the templates shared by the pods of this and other scanners */
    public PodScanner(TemplateCache templates) {
        key = new KeyScanner(templates);
    }

    /** The record of a parsed pod; see {@link #finish}. */
    public static PodRecord record(Pod pod, Change change) throws InvalidObjectException {
        return scanned(pod).finish(change);
    }

    /** The record of a parsed pod that is assumed on a node, which may differ from its {@code nodeName}. */
    public static PodRecord assumed(Pod pod) throws InvalidObjectException {
        return scanned(pod).finish(Change.ADDED, false);
    }

    private static PodScanner scanned(Pod pod) {
        PodScanner scanner = new PodScanner();
        byte[] bytes = pod.toByteArray();
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        scanner.begin(wire);
        try {
            scanner.scan(wire);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("a message must be well-formed", e);
        }
        return scanner;
    }

    /** Starts the next pod, which is read from {@code wire}. */
    public void begin(WireCursor wire) {
        bytes = wire.bytes();
        record = new PodRecord(bytes);
        key.begin(bytes);
        drain.begin(bytes);
        importance.begin(bytes);
        constrained = false;
        unjudged = 0;
        namespaceField = 0;
        labelCount = 0;
        nameLength = 0;
        namespaceLength = 0;
        uidLength = 0;
        nodeFrom = 0;
        nodeLength = 0;
        versionFrom = 0;
        versionTo = 0;
    }

    /**
     * Reads the Pod that the cursor has entered, to its end. Repeated calls add to the same pod because protobuf merges
     * a message that is split into several pieces.
     */
    public void scan(WireCursor wire) throws InvalidProtocolBufferException {
        int from = wire.position();
        while (wire.next()) {
            int tag = wire.tag();
            if (tag == METADATA) {
                int outer = wire.enter();
                scanMetadata(wire);
                wire.leave(outer);
            } else if (tag == SPEC) {
                int outer = wire.enter();
                scanSpec(wire);
                wire.leave(outer);
            } else if (tag == STATUS) {
                int outer = wire.enter();
                scanStatus(wire);
                wire.leave(outer);
            } else {
                wire.skip();
            }
        }
        if (unjudged != 0) {
            key.keepUnjudged(unjudged, namespaceField, record.namespaceTo);
        }
        key.endPiece(from, wire);
    }

    private void scanMetadata(WireCursor wire) throws InvalidProtocolBufferException {
        for (int start = wire.position(); wire.next(); start = wire.position()) {
            int tag = wire.tag();
            if (tag == NAME) {
                wire.readString();
                record.setName(wire.from(), wire.position());
                nameLength = wire.position() - wire.from();
            } else if (tag == NAMESPACE) {
                wire.readString();
                record.setNamespace(wire.from(), wire.position());
                namespaceField = start;
                namespaceLength = wire.position() - wire.from();
            } else if (tag == UID) {
                wire.readString();
                record.setUid(wire.from(), wire.position());
                uidLength = wire.position() - wire.from();
            } else if (tag == RESOURCE_VERSION) {
                wire.readString();
                versionFrom = wire.from();
                versionTo = wire.position();
            } else if (tag == LABELS) {
                int outer = wire.enter();
                scanLabel(wire);
                wire.leave(outer);
            } else if (tag == ANNOTATIONS) {
                int outer = wire.enter();
                if (!isUsualEntry(wire)) {
                    scanEntry(wire);
                }
                wire.leave(outer);
                drain.annotation(keyFrom, keyTo, valueFrom, valueTo);
            } else if (tag == OWNERS) {
                wire.skip();
                key.keepForTemplate(start, wire.position());
            } else if (tag == DELETION_TIMESTAMP) {
                record.terminating = true;
                int outer = wire.enter();
                drain.deletion(wire);
                wire.leave(outer);
            } else {
                METADATA_SHAPE.checkValue(wire);
            }
        }
    }

    private void scanLabel(WireCursor wire) throws InvalidProtocolBufferException {
        if (!isUsualEntry(wire)) {
            scanEntry(wire);
        }
        addLabel();
    }

    /** Reads the key and the value of the map entry that the cursor has entered. */
    private void scanEntry(WireCursor wire) throws InvalidProtocolBufferException {
        keyFrom = 0;
        keyTo = 0;
        valueFrom = 0;
        valueTo = 0;
        while (wire.next()) {
            if (wire.tag() == ENTRY_KEY) {
                wire.readString();
                keyFrom = wire.from();
                keyTo = wire.position();
            } else if (wire.tag() == ENTRY_VALUE) {
                wire.readString();
                valueFrom = wire.from();
                valueTo = wire.position();
            } else {
                wire.skip();
            }
        }
    }

    /**
     * Fast path for a map entry whose key and value, in this order, are ASCII and shorter than 128 bytes. Returns false
     * for any other entry.
     */
    private boolean isUsualEntry(WireCursor wire) {
        int from = wire.position() + 2;
        int end = wire.limit();
        if (from > end || bytes[from - 2] != ENTRY_KEY) {
            return false;
        }
        int to = from + bytes[from - 1];
        int value = to + 2;
        if (to < from || value > end || bytes[to] != ENTRY_VALUE) {
            return false;
        }
        // The bytes between key and value are ASCII as well.
        if (value + bytes[value - 1] != end || !WireCursor.isAscii(bytes, from, end)) {
            return false;
        }
        keyFrom = from;
        keyTo = to;
        valueFrom = value;
        valueTo = end;
        wire.moveToLimit();
        return true;
    }

    private void addLabel() {
        if (++labelCount <= StoredObjectTranslator.LIMITS.entries()) {
            record.addLabel(keyFrom, keyTo, valueFrom, valueTo);
        }
    }

    private void scanSpec(WireCursor wire) throws InvalidProtocolBufferException {
        key.mark(KeyScanner.Part.SPEC);
        for (int start = wire.position(); wire.next(); start = wire.position()) {
            int tag = wire.tag();
            if (tag == NODE) {
                wire.readString();
                record.setNode(wire.from(), wire.position());
                nodeFrom = wire.from();
                nodeLength = wire.position() - wire.from();
            } else if (tag == CONTAINERS) {
                key.scan(KeyScanner.Part.CONTAINER, wire);
            } else if (tag == INIT_CONTAINERS) {
                key.scan(KeyScanner.Part.INIT_CONTAINER, wire);
            } else if (tag == SCHEDULER_NAME
                    || tag == TOLERATIONS
                    || tag == CONSTRAINTS
                    || tag == NODE_SELECTOR
                    || tag == AFFINITY) {
                constrained |= tag == CONSTRAINTS;
                wire.skip();
                key.keepForTemplate(start, wire.position());
                if (tag == AFFINITY) {
                    unjudged |= UnjudgedRules.of(bytes, start, wire.position());
                }
            } else if (tag == OVERHEAD || tag == RESOURCES) {
                wire.skip();
                key.keep(start, wire.position());
            } else if (tag == GRACE) {
                drain.gracePeriod(wire.readVarint());
            } else if (tag == PRIORITY) {
                importance.priority(wire.readVarint());
            } else {
                SPEC_SHAPE.checkValue(wire);
                if (tag == VOLUMES || tag == GATES || tag == CLAIMS) {
                    unjudged |= UnjudgedRules.of(bytes, start, wire.position());
                }
                if (tag == VOLUMES) {
                    drain.volume(start, wire.position());
                }
            }
        }
    }

    private void scanStatus(WireCursor wire) throws InvalidProtocolBufferException {
        key.mark(KeyScanner.Part.STATUS);
        for (int start = wire.position(); wire.next(); start = wire.position()) {
            int tag = wire.tag();
            if (tag == PHASE) {
                wire.readString();
                record.finished = is(SUCCEEDED, wire) || is(FAILED, wire);
            } else if (tag == CONDITIONS) {
                key.scan(KeyScanner.Part.CONDITION, wire);
                importance.condition(start, wire.position());
            } else if (tag == START) {
                int outer = wire.enter();
                importance.start(wire);
                wire.leave(outer);
            } else if (tag == STATUSES) {
                key.scan(KeyScanner.Part.CONTAINER_STATUS, wire);
            } else if (tag == INIT_STATUSES) {
                key.scan(KeyScanner.Part.INIT_CONTAINER_STATUS, wire);
            } else if (tag == ALLOCATED || tag == ACTUAL) {
                wire.skip();
                key.keep(start, wire.position());
            } else {
                STATUS_SHAPE.checkValue(wire);
            }
        }
    }

    private static boolean is(byte[] text, WireCursor wire) {
        return Arrays.equals(wire.bytes(), wire.from(), wire.position(), text, 0, text.length);
    }

    /**
     * Returns the pod, which refers to the scanned bytes.
     *
     * @throws InvalidObjectException if the pod is invalid; lists every violation
     */
    public PodRecord finish(Change change) throws InvalidObjectException {
        return finish(change, true);
    }

    private PodRecord finish(Change change, boolean onItsNode) throws InvalidObjectException {
        boolean deleted = change == Change.DELETED;
        boolean sound = isName(uidLength)
                && (deleted
                        || isName(nameLength)
                                && isName(namespaceLength)
                                && nodeLength <= TextRules.MAX_NAME
                                && labelCount <= StoredObjectTranslator.LIMITS.entries())
                && readVersion();
        Violations violations = sound ? null : judge(change);
        KnownPod its = deleted ? KnownPod.EMPTY : key.known();
        if (its == null) {
            violations = violations == null ? new Violations() : violations;
            its = key.parse(violations);
        }
        if (violations != null) {
            violations.throwIfAny();
        }
        if (!deleted) {
            record.requests = onItsNode ? its.taken : its.asked;
            record.setTemplate(key.template(its, nodeFrom, onItsNode ? nodeFrom + nodeLength : nodeFrom));
            drain.finish(record, key.controller());
            importance.finish(record);
        }
        return record;
    }

    /**
     * Returns the pod, which needs no UID, name or namespace. It refers to the scanned bytes and has no
     * resourceVersion.
     *
     * @throws InvalidObjectException if it has too many labels, or its requests are invalid
     */
    public PodRecord finishUnnamed() throws InvalidObjectException {
        Violations violations = new Violations();
        StoredObjectTranslator.LIMITS.admitEntries(labelCount, StoredObjectTranslator.LABELS, violations);
        KnownPod known = key.known();
        record.requests = (known == null ? key.parse(violations) : known).taken;
        violations.throwIfAny();
        return record;
    }

    /**
     * True if a text of this many bytes is certainly a valid name: not empty, and not too long even if every byte is a
     * character.
     */
    private static boolean isName(int length) {
        return length > 0 && length <= TextRules.MAX_NAME;
    }

    /** Reads the resourceVersion; returns true if it is certainly valid. */
    private boolean readVersion() {
        if (versionTo - versionFrom > SURE_DIGITS) {
            return false;
        }
        long version = 0;
        for (int at = versionFrom; at < versionTo; at++) {
            int digit = bytes[at] - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            version = version * 10 + digit;
        }
        record.resourceVersion = version;
        return true;
    }

    private Violations judge(Change change) {
        String version = new String(bytes, versionFrom, versionTo - versionFrom, StandardCharsets.UTF_8);
        ObjectMeta metadata = ObjectMeta.newBuilder()
                .setName(record.name())
                .setNamespace(record.namespace())
                .setUid(record.uid())
                .setResourceVersion(version)
                .build();
        Violations violations = StoredObjectTranslator.check(metadata, true, change);
        if (change != Change.DELETED) {
            StoredObjectTranslator.LIMITS.admitEntries(labelCount, StoredObjectTranslator.LABELS, violations);
            TextRules.checkLength(record.nodeName(), TextRules.MAX_NAME, NODE_NAME, violations);
        }
        if (violations.isEmpty()) {
            record.resourceVersion = ResourceVersion.parse(version);
        }
        return violations;
    }

    /** True if the pod itself has constraints, so that default constraints do not apply. */
    public boolean isConstrained() {
        return constrained;
    }

    /** The namespace and name of the pod; each is empty if unset. */
    public ObjectMeta names() {
        return ObjectMeta.newBuilder()
                .setNamespace(record.namespace())
                .setName(record.name())
                .build();
    }
}
