package io.evenkeel.loadtest.echo;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import io.evenkeel.loadtest.v1.EchoRequest;
import java.nio.ByteBuffer;

/**
 * Makes echo requests of a given size that ask for responses of a given size.
 *
 * <pre>
 * message   tag (1) │ length of the payload (1 to 4) │ payload
 * payload   length of the response's payload (4) │ zeros
 * </pre>
 *
 * When the length field grows by a byte, one message size is impossible (2 + 128, for example). The message is then one
 * byte smaller.
 */
public final class EchoSize {
    private static final int TAG_BYTES = 1;

    private EchoSize() {}

    /**
     * A request of {@code requestBytes} bytes on the wire, whose response has {@code answerBytes}.
     *
     * @param requestBytes at least 6: the tag, the length, and the four bytes that hold the wanted size
     * @param answerBytes at least 0; for the impossible sizes 1 and 2 the response is empty
     */
    public static EchoRequest request(int requestBytes, int answerBytes) {
        int length = payloadOf(requestBytes);
        if (length < Integer.BYTES) {
            throw new IllegalArgumentException("requestBytes must be at least 6, was " + requestBytes);
        }
        ByteBuffer payload = ByteBuffer.allocate(length).putInt(payloadOf(answerBytes));
        return EchoRequest.newBuilder()
                .setPayload(UnsafeByteOperations.unsafeWrap(payload.array()))
                .build();
    }

    /** The size of the payload of a message: its size without tag and length. */
    private static int payloadOf(int messageBytes) {
        int payload = Math.max(0, messageBytes - TAG_BYTES);
        while (payload > 0 && TAG_BYTES + CodedOutputStream.computeUInt32SizeNoTag(payload) + payload > messageBytes) {
            payload--;
        }
        return payload;
    }

    /** The payload length that a request asks for, or -1 if it has none. */
    static int wantedLength(EchoRequest request) {
        return request.getPayload().size() < Integer.BYTES
                ? -1
                : request.getPayload().asReadOnlyByteBuffer().getInt();
    }
}
