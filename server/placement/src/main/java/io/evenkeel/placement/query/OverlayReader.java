package io.evenkeel.placement.query;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.AddedPod;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one overlay from the bytes of an Overlay message. An invalid overlay does not throw but returns its error,
 * because it may affect only one item of the request. Paths in errors begin with {@code overlay}. Not thread-safe.
 */
public final class OverlayReader {
    private static final String FIELD = "overlay";
    private static final int WITHOUT = WireCursor.delimited(io.evenkeel.v1.Overlay.WITHOUT_FIELD_NUMBER);
    private static final int ADD = WireCursor.delimited(io.evenkeel.v1.Overlay.ADD_FIELD_NUMBER);
    private static final int OBJECT = WireCursor.delimited(AddedPod.OBJECT_FIELD_NUMBER);
    private static final int REFERENCE = WireCursor.delimited(AddedPod.REFERENCE_FIELD_NUMBER);
    private static final int NODE = WireCursor.delimited(AddedPod.NODE_FIELD_NUMBER);

    private final int most;
    private final List<PodKey> without = new ArrayList<>();
    private final List<Overlay.Added> added = new ArrayList<>();
    private final PodReferences reference = new PodReferences();
    private int withoutCount;
    private int addedCount;
    private @Nullable RequestException refusal;

    /** @param most the maximum length of each list of the overlay */
    public OverlayReader(int most) {
        this.most = most;
    }

    /**
     * An overlay that was read.
     *
     * @param refusal the error; null if the overlay is valid, and only then {@code overlay} can be used
     */
    public record Read(Overlay overlay, @Nullable RequestException refusal) {
        /** The overlay of a request without one. */
        public static final Read NONE = new Read(Overlay.NONE, null);

        /**
         * The overlay.
         *
         * @throws RequestException if it is invalid
         */
        public Overlay valid() {
            if (refusal != null) {
                throw refusal;
            }
            return overlay;
        }
    }

    /** The overlay of a parsed message. */
    public static Read read(io.evenkeel.v1.Overlay message, int most) {
        byte[] bytes = message.toByteArray();
        OverlayReader reader = new OverlayReader(most);
        try {
            reader.scan(new WireCursor(bytes, 0, bytes.length));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("a message must be well-formed", e);
        }
        return reader.finish();
    }

    /**
     * Reads the message that the cursor has entered, to its end. Repeated calls add to the same overlay, as in protobuf
     * merging.
     */
    public void scan(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            int tag = wire.tag();
            if (tag == WITHOUT && withoutCount++ < most) {
                int outer = wire.enter();
                scanWithout(wire);
                wire.leave(outer);
            } else if (tag == ADD && addedCount++ < most) {
                int outer = wire.enter();
                scanAdded(wire);
                wire.leave(outer);
            } else {
                wire.skip();
            }
        }
    }

    /** Returns the overlay, or its error. */
    public Read finish() {
        admit(withoutCount, FIELD + ".without");
        admit(addedCount, FIELD + ".add");
        return refusal == null ? new Read(new Overlay(without, added), null) : new Read(Overlay.NONE, refusal);
    }

    private void admit(int count, String field) {
        if (count > most) {
            refuse(RequestException.overLimit(field, "must have at most " + most + " entries, had " + count));
        }
    }

    /** Keeps the first error. */
    private void refuse(String field, String description) {
        refuse(RequestException.invalid(field, description));
    }

    private void refuse(RequestException found) {
        if (refusal == null) {
            refusal = found;
        }
    }

    private void scanWithout(WireCursor wire) throws InvalidProtocolBufferException {
        reference.begin();
        reference.scan(wire);
        PodKey key = reference.key(wire.bytes());
        if (key == null) {
            refuse(FIELD + ".without[" + (withoutCount - 1) + "]", "must have a uid or a name");
        } else {
            without.add(key);
        }
    }

    private void scanAdded(WireCursor wire) throws InvalidProtocolBufferException {
        PodScanner object = null;
        boolean referred = false;
        String node = "";
        while (wire.next()) {
            int tag = wire.tag();
            if (tag == OBJECT) {
                if (object == null) {
                    object = new PodScanner();
                    object.begin(wire);
                }
                referred = false;
                int outer = wire.enter();
                object.scan(wire);
                wire.leave(outer);
            } else if (tag == REFERENCE) {
                if (!referred) {
                    reference.begin();
                }
                object = null;
                referred = true;
                int outer = wire.enter();
                reference.scan(wire);
                wire.leave(outer);
            } else if (tag == NODE) {
                node = wire.readText();
            } else {
                wire.skip();
            }
        }
        String path = FIELD + ".add[" + (addedCount - 1) + "]";
        if (object != null) {
            addObject(object, node, path);
        } else if (referred) {
            addReferred(reference.key(wire.bytes()), node, path);
        } else {
            refuse(path, "must have an object or a reference");
        }
    }

    private void addObject(PodScanner object, String node, String path) {
        try {
            PodObject pod = object.finishUnnamed().toObject();
            added.add(new Overlay.InFull(new PodObject(
                    pod.namespace().isEmpty() ? PodReferences.DEFAULT_NAMESPACE : pod.namespace(),
                    pod.name(),
                    pod.uid(),
                    0,
                    pod.labels(),
                    node.isEmpty() ? pod.nodeName() : node,
                    pod.terminating(),
                    pod.finished(),
                    pod.requests())));
        } catch (InvalidObjectException e) {
            refuse(RequestException.invalid(e, path + ".object"));
        }
    }

    private void addReferred(@Nullable PodKey key, String node, String path) {
        if (key == null) {
            refuse(path + ".reference", "must have a uid or a name");
        } else {
            added.add(new Overlay.Known(key, node));
        }
    }
}
