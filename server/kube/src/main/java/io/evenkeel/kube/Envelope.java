package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;

/**
 * The envelope around each object that the API server sends as protobuf.
 *
 * <pre>
 *   "k8s" 0, then runtime.Unknown { typeMeta = 1, raw = 2, contentEncoding = 3, contentType = 4 }
 * </pre>
 *
 * {@code raw} is what {@code Marshal()} gives for the object.
 */
final class Envelope {
    static final int MAGIC_LENGTH = 4;
    static final int RAW_FIELD = 2;
    static final int ENCODING_FIELD = 3;
    private static final int RAW = WireCursor.delimited(RAW_FIELD);
    private static final byte[] MAGIC = {'k', '8', 's', 0};

    /** Where the object stands in the array. */
    record Place(int from, int to) {}

    private Envelope() {}

    /** Whether the bytes from {@code from} up to {@code to} begin like an envelope. */
    static boolean isAt(byte[] bytes, int from, int to) {
        if (to - from < MAGIC_LENGTH) {
            return false;
        }
        for (int i = 0; i < MAGIC_LENGTH; i++) {
            if (bytes[from + i] != MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    /** Where the object in the envelope stands. */
    static Place open(byte[] bytes, int from, int to) throws MalformedAnswerException {
        if (!isAt(bytes, from, to)) {
            throw new MalformedAnswerException("an object does not begin as Kubernetes' protobuf does");
        }
        WireCursor wire = new WireCursor(bytes, from + MAGIC_LENGTH, to);
        Place place = null;
        try {
            while (wire.next()) {
                if (wire.tag() == RAW) {
                    wire.readBytes();
                    place = new Place(wire.from(), wire.position());
                } else {
                    wire.skip();
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw new MalformedAnswerException("an envelope is not protobuf: " + e.getMessage());
        }
        // An object of which every field is unset has no bytes.
        return place == null ? new Place(to, to) : place;
    }
}
