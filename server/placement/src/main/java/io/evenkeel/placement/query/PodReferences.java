package io.evenkeel.placement.query;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.PodReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads pod references from the bytes of PodReference messages, without creating strings for UIDs. An instance is used
 * for one reference after another. Not thread-safe.
 */
public final class PodReferences {
    static final String DEFAULT_NAMESPACE = "default";

    private static final int UID = WireCursor.delimited(PodReference.UID_FIELD_NUMBER);
    private static final int NAMESPACE = WireCursor.delimited(PodReference.NAMESPACE_FIELD_NUMBER);
    private static final int NAME = WireCursor.delimited(PodReference.NAME_FIELD_NUMBER);

    private int uidFrom;
    private int uidTo;
    private String namespace = "";
    private String name = "";

    /** Starts the next reference. */
    void begin() {
        uidFrom = 0;
        uidTo = 0;
        namespace = "";
        name = "";
    }

    /** Reads the message that the cursor has entered, to its end. Repeated calls add to the same reference. */
    void scan(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            int tag = wire.tag();
            if (tag == UID) {
                wire.readString();
                uidFrom = wire.from();
                uidTo = wire.position();
            } else if (tag == NAMESPACE) {
                namespace = wire.readText();
            } else if (tag == NAME) {
                name = wire.readText();
            } else {
                wire.skip();
            }
        }
    }

    /** The pod that the reference names; null if it names none. */
    @Nullable
    PodKey key(byte[] bytes) {
        if (uidFrom < uidTo) {
            return PodKey.ofUid(bytes, uidFrom, uidTo);
        }
        return ofName(namespace, name);
    }

    /** The pod that a message names; null if it names none. */
    private static @Nullable PodKey key(PodReference message) {
        return message.getUid().isEmpty()
                ? ofName(message.getNamespace(), message.getName())
                : PodKey.ofUid(message.getUid());
    }

    private static @Nullable PodKey ofName(String namespace, String name) {
        if (name.isEmpty()) {
            return null;
        }
        return namespace.isEmpty() ? PodKey.ofNameIn(DEFAULT_NAMESPACE, name) : PodKey.ofName(namespace, name);
    }

    /** The reference equivalent to {@code key}, without a namespace if the caller named none. */
    public static PodReference of(PodKey key) {
        return of(key.uid(), key.isNamespaceImplied() ? "" : key.namespace(), key.name());
    }

    public static PodReference of(String uid, String namespace, String name) {
        return PodReference.newBuilder()
                .setUid(uid)
                .setNamespace(namespace)
                .setName(name)
                .build();
    }

    /**
     * The pod that a message names.
     *
     * @throws RequestException if it names none
     */
    public static PodKey require(PodReference message, String field) {
        PodKey key = key(message);
        if (key == null) {
            throw RequestException.invalid(field, "must have a uid or a name");
        }
        return key;
    }

    /** The rejection of a request about a pod that the state does not have. */
    public static RequestException unknown(PodKey key, String field) {
        return RequestException.of(
                ErrorReason.ERROR_REASON_POD_UNKNOWN,
                "pod " + Quotes.quoted(key.toString()) + " is unknown (" + field + ")");
    }
}
