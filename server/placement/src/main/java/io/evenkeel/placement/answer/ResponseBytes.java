package io.evenkeel.placement.answer;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.v1.EvaluateStreamResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * The bytes of a response, as pieces of a pooled array. Read them once, then {@link #release} them. Not thread-safe.
 *
 * <pre>
 *   array    │ answer of plan 0 │ answer of plan 1 │ revision … │ unknown … │ tag … │
 *   pieces   3, 1, 2, 1, 4: equal pods share an answer
 *   head     5: comes before the pieces in the response of a stream; otherwise empty
 * </pre>
 */
public final class ResponseBytes {
    /**
     * Outputs of earlier responses, whose arrays have grown to the size that the cluster needs: about as many as
     * threads answer concurrently, not one for each thread that ever answered.
     */
    private static final Queue<WireOutput> SPARE =
            new ArrayBlockingQueue<>(2 * Runtime.getRuntime().availableProcessors());

    private final WireOutput out;
    private final int[] bounds;
    private int used;
    private int size;
    private int headFrom;
    private int headTo;
    private boolean released;

    /** @param pieces the maximum number of pieces */
    ResponseBytes(WireOutput out, int pieces) {
        this.out = out;
        this.bounds = new int[2 * pieces];
    }

    /** An empty output for a response, from the pool if it has one. */
    static WireOutput output() {
        WireOutput spare = SPARE.poll();
        return spare == null ? new WireOutput() : spare;
    }

    /** A response with a single piece. */
    public static ResponseBytes of(MessageLite message) {
        WireOutput out = output();
        out.append(message);
        return of(out);
    }

    /** A response with everything in {@code out}. */
    static ResponseBytes of(WireOutput out) {
        ResponseBytes response = new ResponseBytes(out, 1);
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

    /** Wraps this EvaluateResponse in an EvaluateStreamResponse, and returns this. */
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

    /** Returns a copy. */
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
            // No one else uses the array, so the message may reference it.
            input.enableAliasing(true);
            return parser.parseFrom(input);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("failed to parse a response of this server", e);
        } finally {
            release();
        }
    }

    /** Returns the array to its pool. The response must not be read afterwards. Repeated calls have no effect. */
    public void release() {
        if (!released && out.isWorthKeeping()) {
            out.clear();
            // If the pool is full, the array is garbage.
            SPARE.offer(out);
        }
        released = true;
    }
}
