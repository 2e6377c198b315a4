package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What carries a client's calls: a channel, or handlers in this process. Thread-safe.
 *
 * <p>For those who bring another carrier; others use {@code RemotePlacement} or {@code EmbeddedPlacement}.
 */
public interface Transport {
    /** Makes a unary call and waits; fails with {@link PlacementException}. */
    <Q extends MessageLite, A extends MessageLite> A call(ProtocolMethod<Q, A> method, Q request, Duration deadline);

    /** As {@link #call}, with a request in its bytes. */
    <A extends MessageLite> A callEncoded(ProtocolMethod<?, A> method, byte[] request, Duration deadline);

    /**
     * Makes a unary call and returns; {@code answers} is told of the answer and then of the end, or of the failure
     * alone.
     *
     * @return cancels the call
     */
    <Q extends MessageLite, A extends MessageLite> Runnable start(
            ProtocolMethod<Q, A> method, Q request, Duration deadline, Answers<A> answers);

    /** Opens a bidirectional stream on which each message is answered by one, in order. */
    <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(ProtocolMethod<Q, A> method, Answers<A> answers);

    /** Cancels streams, lets calls under way end within {@code grace}, and gives back what it holds. */
    void close(Duration grace);

    /** This side of a stream. One caller at a time, but for {@link #cancel}. */
    interface Exchange<Q> {
        /** Sends a message; does not block. */
        void send(Q message);

        /** Says that no more messages come; those sent are still answered. */
        void finish();

        /** Ends the stream at once. */
        void cancel(String reason);
    }

    /** Told of the other side, by one thread at a time. */
    interface Answers<A> {
        /** The answer to the oldest message without one. */
        void answered(A answer);

        /** The last that is said. {@code failure} is null where every message was answered and the stream is over. */
        void ended(@Nullable PlacementException failure);
    }
}
