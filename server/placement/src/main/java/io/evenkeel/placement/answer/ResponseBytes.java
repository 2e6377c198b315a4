package io.evenkeel.placement.answer;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A response as it goes over the wire, in pieces of an array that is used again. Take it once, then {@link #release}
 * it. Not safe for use by several threads.
 *
 * <pre>
 *   array    │ answer of plan 0 │ answer of plan 1 │ revision … │ request id … │
 *   pieces   3, 1, 2, 1, 4: pods that are alike share an answer
 * </pre>
 */
public final class ResponseBytes {
    private final WireOutput out;
    private final int[] bounds;
    private int used;
    private int size;
    private @Nullable ReusePool<WireOutput> home;

    /**
     * @param pieces at most so many will be added
     * @param home where {@code out} goes in the end, or null
     */
    ResponseBytes(WireOutput out, int pieces, @Nullable ReusePool<WireOutput> home) {
        this.out = out;
        this.bounds = new int[2 * pieces];
        this.home = home;
    }

    /** A response of no pieces but one. */
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

    /** In bytes. */
    public int size() {
        return size;
    }

    public void writeTo(OutputStream target) throws IOException {
        for (int i = 0; i < used; i += 2) {
            target.write(out.array(), bounds[i], bounds[i + 1] - bounds[i]);
        }
    }

    /** In an array of its own. */
    public byte[] toByteArray() {
        byte[] copy = new byte[size];
        int at = 0;
        for (int i = 0; i < used; i += 2) {
            int length = bounds[i + 1] - bounds[i];
            System.arraycopy(out.array(), bounds[i], copy, at, length);
            at += length;
        }
        return copy;
    }

    /** Parses it, and releases it. */
    public <R> R parse(Parser<R> parser) {
        try {
            CodedInputStream input =
                    UnsafeByteOperations.unsafeWrap(toByteArray()).newCodedInput();
            // The array is nobody else's.
            input.enableAliasing(true);
            return parser.parseFrom(input);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a response was written wrong", e);
        } finally {
            release();
        }
    }

    /** Not to be read any more. Does nothing the second time. */
    public void release() {
        ReusePool<WireOutput> back = home;
        home = null;
        if (back != null && out.isWorthKeeping()) {
            out.clear();
            back.give(out);
        }
    }
}
