package io.evenkeel.kube.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import java.util.Arrays;

/**
 * The envelope around each object that the API server sends as protobuf.
 *
 * <pre>
 *   "k8s" 0, then runtime.Unknown { typeMeta = 1, raw = 2, contentEncoding = 3, contentType = 4 }
 * </pre>
 *
 * {@code raw} is the result of the object's {@code Marshal()}.
 */
public final class Envelope {
    public static final int MAGIC_LENGTH = 4;
    public static final int RAW_FIELD = 2;
    public static final int ENCODING_FIELD = 3;
    private static final int RAW = WireCursor.delimited(RAW_FIELD);
    private static final byte[] MAGIC = {'k', '8', 's', 0};

    /** The object's range in the array. */
    public record Place(int from, int to) {}

    private Envelope() {}

    /** Whether the bytes from {@code from} to {@code to} begin with the magic number of an envelope. */
    public static boolean isAt(byte[] bytes, int from, int to) {
        return to - from >= MAGIC_LENGTH && Arrays.equals(bytes, from, from + MAGIC_LENGTH, MAGIC, 0, MAGIC_LENGTH);
    }

    /** The range of the object in the envelope. */
    public static Place open(byte[] bytes, int from, int to) throws MalformedAnswerException {
        if (!isAt(bytes, from, to)) {
            throw new MalformedAnswerException("object does not begin with the Kubernetes protobuf prefix");
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
            throw new MalformedAnswerException("object envelope is not valid protobuf: " + e.getMessage());
        }
        // An object with no field set has no bytes.
        return place == null ? new Place(to, to) : place;
    }
}
