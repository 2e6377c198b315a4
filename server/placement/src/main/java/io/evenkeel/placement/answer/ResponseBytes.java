package io.evenkeel.placement.answer;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.evenkeel.v1.EvaluateStreamResponse;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a response, as pieces of an array that is used again. Read them once, and then {@link #release} them.
 * Not safe for use by several threads.
 *
 * <pre>
 *   array    │ answer of plan 0 │ answer of plan 1 │ revision … │ unknown … │ tag … │
 *   pieces   3, 1, 2, 1, 4: equal pods share an answer
 *   head     5: what stands before the pieces, in the response of a stream; empty elsewhere
 * </pre>
 */
public final class ResponseBytes {
    private final WireOutput out;
    private final int[] bounds;
    private int used;
    private int size;
    private int headFrom;
    private int headTo;
    private @Nullable ReusePool<WireOutput> home;

    /**
     * @param pieces how many pieces will be added at most
     * @param home the pool to which {@code out} returns, or null
     */
    ResponseBytes(WireOutput out, int pieces, @Nullable ReusePool<WireOutput> home) {
        this.out = out;
        this.bounds = new int[2 * pieces];
        this.home = home;
    }

    /** A response of one piece. */
    public static ResponseBytes of(MessageLite message) {
        WireOutput out = new WireOutput();
        out.append(message);
        ResponseBytes response = new ResponseBytes(out, 1, null);
        response.add(0, out.size());
        return response;
    }

    void add(int from, int to) {
        size = Math.addExact(size, to - from);
        if (used > 0 && bounds[used - 1] == from) {
            bounds[used - 1] = to;
        } else {
            bounds[used++] = from;
            bounds[used++] = to;
        }
    }

    /** Makes this, an EvaluateResponse, the content of an EvaluateStreamResponse; returns it. */
    public ResponseBytes intoStreamResponse(long tag) {
        headFrom = out.size();
        out.number(EvaluateStreamResponse.TAG_FIELD_NUMBER, tag);
        out.beginMessage(EvaluateStreamResponse.RESPONSE_FIELD_NUMBER, size);
        headTo = out.size();
        size = Math.addExact(size, headTo - headFrom);
        return this;
    }

    /** The length in bytes. */
    public int size() {
        return size;
    }

    public void writeTo(OutputStream target) throws IOException {
        target.write(out.array(), headFrom, headTo - headFrom);
        for (int i = 0; i < used; i += 2) {
            target.write(out.array(), bounds[i], bounds[i + 1] - bounds[i]);
        }
    }

    /** A copy in an array of its own. */
    public byte[] toByteArray() {
        byte[] copy = new byte[size];
        int at = headTo - headFrom;
        System.arraycopy(out.array(), headFrom, copy, 0, at);
        for (int i = 0; i < used; i += 2) {
            int length = bounds[i + 1] - bounds[i];
            System.arraycopy(out.array(), bounds[i], copy, at, length);
            at += length;
        }
        return copy;
    }

    /** Parses the response, and releases it. */
    public <R> R parse(Parser<R> parser) {
        try {
            CodedInputStream input =
                    UnsafeByteOperations.unsafeWrap(toByteArray()).newCodedInput();
            // The array is used by nobody else, so the message may refer to it.
            input.enableAliasing(true);
            return parser.parseFrom(input);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a response was written wrong", e);
        } finally {
            release();
        }
    }

    /** Gives the array back. The response must not be read afterwards. A second call does nothing. */
    public void release() {
        ReusePool<WireOutput> back = home;
        home = null;
        if (back != null && out.isWorthKeeping()) {
            out.clear();
            back.give(out);
        }
    }
}
