package io.evenkeel.placement.change;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.objects.WireShape;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.ResourceVersionReader;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects and events from their bytes into a {@link ChangeList}. Pods are too many to parse into messages; other
 * objects use the generated classes. A message that is split into several pieces is merged as the generated parsers
 * merge it.
 */
public final class ChangeScanner {
    private static final int OBJECTS = WireCursor.delimited(Objects.OBJECTS_FIELD_NUMBER);
    private static final int EVENTS = WireCursor.delimited(Events.EVENTS_FIELD_NUMBER);
    private static final int TYPE = WireCursor.varint(ClusterEvent.TYPE_FIELD_NUMBER);
    private static final int OBJECT = WireCursor.delimited(ClusterEvent.OBJECT_FIELD_NUMBER);
    private static final WireShape SHAPE = WireShape.of(ClusterObject.getDescriptor());
    private static final Parser<ClusterObject> OBJECT_PARSER = DiscardUnknownFieldsParser.wrap(ClusterObject.parser());
    private static final Parser<ClusterEvent> EVENT_PARSER = DiscardUnknownFieldsParser.wrap(ClusterEvent.parser());

    /** The meaning of the bytes at a {@link Place}. */
    private enum Form {
        /** A {@link ClusterObject}. */
        OBJECT,
        /** A {@link ClusterEvent}. */
        EVENT,
        /** An object of a known kind, such as a Node. */
        BARE
    }

    /** The position of an object or event in the bytes. */
    private static final class Place {
        private final byte[] bytes;
        private final int from;
        private final int to;
        private final Form form;
        private final @Nullable ObjectKind kind;

        Place(WireCursor wire, int from, Form form, @Nullable ObjectKind kind) {
            this.bytes = wire.bytes();
            this.from = from;
            this.to = wire.position();
            this.form = form;
            this.kind = kind;
        }

        /** The parsed object. */
        ClusterObject object() {
            try {
                return switch (form) {
                    case OBJECT -> OBJECT_PARSER.parseFrom(bytes, from, to - from);
                    case EVENT -> EVENT_PARSER.parseFrom(bytes, from, to - from).getObject();
                    case BARE -> bare();
                };
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException("bytes that were checked do not parse", e);
            }
        }

        private ClusterObject bare() throws InvalidProtocolBufferException {
            ClusterObject.Builder object = ClusterObject.newBuilder();
            ObjectKind of = java.util.Objects.requireNonNull(kind);
            Parser<? extends Message> parser =
                    DiscardUnknownFieldsParser.wrap(KindMessages.prototype(of).getParserForType());
            return object.setField(KindMessages.field(of), parser.parseFrom(bytes, from, to - from))
                    .build();
        }
    }

    private final WireCursor wire;
    private final ChangeList changes;
    private final PodScanner pods;
    /** The kind of the current object; null if unknown. */
    private @Nullable ObjectKind kind;

    ChangeScanner(WireCursor wire, ChangeList changes, PodScanner pods) {
        this.wire = wire;
        this.changes = changes;
        this.pods = pods;
    }

    /** Reads the events of an {@link ApplyRequest}. */
    public static ChangeList read(byte[] bytes, int most, TemplateCache templates)
            throws InvalidProtocolBufferException {
        ChangeList changes = new ChangeList(most);
        // ApplyRequest and Events have the same field number for their events.
        new ChangeScanner(new WireCursor(bytes, 0, bytes.length), changes, new PodScanner(templates)).scanEvents();
        return changes;
    }

    /** Reads the Objects message that the cursor has entered. */
    void scanObjects() throws InvalidProtocolBufferException {
        while (wire.next()) {
            if (wire.tag() != OBJECTS) {
                wire.skip();
                continue;
            }
            int outer = wire.enter();
            int from = wire.position();
            begin();
            scanObject();
            Place place = new Place(wire, from, Form.OBJECT, kind);
            wire.leave(outer);
            if (changes.next()) {
                add(place, Change.LISTED, "");
            }
        }
    }

    /** Reads the Events or ApplyRequest message that the cursor has entered. */
    void scanEvents() throws InvalidProtocolBufferException {
        while (wire.next()) {
            if (wire.tag() != EVENTS) {
                wire.skip();
                continue;
            }
            int outer = wire.enter();
            int from = wire.position();
            int type = scanEvent();
            Place place = new Place(wire, from, Form.EVENT, kind);
            wire.leave(outer);
            if (changes.next()) {
                Change change = change(type);
                if (type == ClusterEvent.Type.TYPE_BOOKMARK_VALUE) {
                    addBookmark(place);
                } else if (change == null) {
                    refuse(
                            place,
                            "type",
                            "must be TYPE_ADDED, TYPE_MODIFIED, TYPE_DELETED or TYPE_BOOKMARK, was " + type);
                } else {
                    add(place, change, "object.");
                }
            }
        }
    }

    /** Reads an object of this kind, which consists of all bytes of the cursor. */
    void scanBare(ObjectKind of, Change change) throws InvalidProtocolBufferException {
        begin();
        int from = wire.position();
        kind = of;
        if (of == ObjectKind.POD) {
            pods.scan(wire);
        } else {
            SHAPE.child(KindMessages.number(of)).checkFields(wire);
        }
        if (changes.next()) {
            add(new Place(wire, from, Form.BARE, of), change, "");
        }
    }

    /** Reads an event; returns the number of its type. */
    private int scanEvent() throws InvalidProtocolBufferException {
        int type = 0;
        begin();
        while (wire.next()) {
            if (wire.tag() == TYPE) {
                type = (int) wire.readVarint();
            } else if (wire.tag() == OBJECT) {
                int outer = wire.enter();
                scanObject();
                wire.leave(outer);
            } else {
                wire.skip();
            }
        }
        return type;
    }

    private void begin() {
        kind = null;
        pods.begin(wire);
    }

    private void scanObject() throws InvalidProtocolBufferException {
        while (wire.next()) {
            ObjectKind found = wire.isDelimited() ? KindMessages.ofNumber(wire.field()) : null;
            if (found == null) {
                wire.skip();
                continue;
            }
            if (found == ObjectKind.POD) {
                int outer = wire.enter();
                pods.scan(wire);
                wire.leave(outer);
            } else {
                SHAPE.checkValue(wire);
            }
            kind = found;
        }
    }

    private static @Nullable Change change(int type) {
        return switch (type) {
            case ClusterEvent.Type.TYPE_ADDED_VALUE -> Change.ADDED;
            case ClusterEvent.Type.TYPE_MODIFIED_VALUE -> Change.MODIFIED;
            case ClusterEvent.Type.TYPE_DELETED_VALUE -> Change.DELETED;
            default -> null;
        };
    }

    private void addBookmark(Place place) {
        ObjectKind of = kind;
        if (of == null) {
            refuse(place, "object.object", "must be of a known kind");
            return;
        }
        String version = KindMessages.metadata(place.object()).getResourceVersion();
        if (ResourceVersionReader.isValid(version)) {
            changes.add(new Bookmark(of, ResourceVersionReader.parse(version)));
        } else {
            refuse(
                    place,
                    "object." + KindMessages.field(of).getJsonName() + ".metadata.resourceVersion",
                    ResourceVersionReader.wrong(version));
        }
    }

    /** A bookmark of a kind's feed, which changes nothing. */
    record Bookmark(ObjectKind kind, long version) implements ObjectChange {
        @Override
        public boolean applyTo(ClusterWriter writer) {
            return false;
        }

        @Override
        public boolean isBookmark() {
            return true;
        }
    }

    private void add(Place place, Change change, String path) {
        ObjectKind of = kind;
        if (of == null) {
            refuse(place, path + "object", "must be of a known kind");
            return;
        }
        try {
            changes.add(of == ObjectKind.POD ? ofPod(place, change) : ObjectChange.of(place.object(), change));
        } catch (InvalidObjectException e) {
            refuse(place, ItemErrors.invalid(e, path + KindMessages.field(of).getJsonName()));
        }
    }

    private ObjectChange ofPod(Place place, Change change) throws InvalidObjectException {
        PodRecord pod = pods.finish(change);
        boolean pending = change != Change.DELETED
                && pod.isUnbound()
                && !pod.terminating
                && !pod.finished
                && pods.isConstrained();
        return new PodChange(pod, change, pending ? place : null);
    }

    /** @param source the bytes of the pod if it is pending and has its own constraints; otherwise null */
    private record PodChange(
            PodRecord pod, Change change, @Nullable Place source) implements ObjectChange {
        @Override
        public String object() {
            return Refusals.name(pod.namespace(), pod.name());
        }

        @Override
        public boolean applyTo(ClusterWriter writer) {
            return writer.apply(change, pod);
        }

        @Override
        public ObjectKind kind() {
            return ObjectKind.POD;
        }

        @Override
        public long version() {
            return pod.resourceVersion;
        }

        @Override
        public boolean isPending() {
            return source != null;
        }

        @Override
        public @Nullable Pod pending() {
            return source == null ? null : source.object().getPod();
        }
    }

    private void refuse(Place place, String field, String description) {
        refuse(place, ItemErrors.invalid(field, description));
    }

    private void refuse(Place place, ItemError error) {
        changes.refuse(kind, kind == ObjectKind.POD ? pods.names() : KindMessages.metadata(place.object()), error);
    }
}
