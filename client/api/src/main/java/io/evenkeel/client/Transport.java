package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Carries the calls of a client: over a channel, or to handlers in the same process. Thread-safe.
 *
 * <p>Callers use {@code RemotePlacement} or {@code EmbeddedPlacement}; only another way to carry calls needs this
 * interface.
 */
public interface Transport {
    /** Makes a unary call, and waits for the answer. Fails with {@link PlacementException}. */
    <Q extends MessageLite, A extends MessageLite> A call(ProtocolMethod<Q, A> method, Q request, Duration deadline);

    /** As {@link #call}, with a request that is encoded already. */
    <A extends MessageLite> A callEncoded(ProtocolMethod<?, A> method, byte[] request, Duration deadline);

    /**
     * Begins a unary call, and returns. {@code answers} gets the answer and then the end, or only the failure.
     *
     * @return a task that cancels the call
     */
    <Q extends MessageLite, A extends MessageLite> Runnable start(
            ProtocolMethod<Q, A> method, Q request, Duration deadline, Answers<A> answers);

    /** As {@link #start}, with a request that is encoded already. */
    <A extends MessageLite> Runnable startEncoded(
            ProtocolMethod<?, A> method, byte[] request, Duration deadline, Answers<A> answers);

    /** Opens a stream on which each message is answered by one message, in order. */
    <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(ProtocolMethod<Q, A> method, Answers<A> answers);

    /** Cancels streams, lets calls under way end within {@code grace}, and releases all resources. */
    void close(Duration grace);

    /** The client's side of a stream. One thread at a time may use it, except {@link #cancel}. */
    interface Exchange<Q> {
        /** Sends a message; does not block. */
        void send(Q message);

        /** As {@link #send}, with a message that is encoded already. */
        void sendEncoded(byte[] message);

        /** Ends the client's side. Messages that were sent are still answered. */
        void finish();

        /** Ends the stream at once. */
        void cancel(String reason);
    }

    /** Receives the answers of the server, from one thread at a time. */
    interface Answers<A> {
        /** The answer to the oldest message without one. */
        void answered(A answer);

        /** Called last. {@code failure} is null where every message was answered and the stream has ended. */
        void ended(@Nullable PlacementException failure);
    }
}
