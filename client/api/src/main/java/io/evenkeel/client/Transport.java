package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Carries the calls of a client: over a channel, or to handlers in the same process. Thread-safe.
 *
 * <p>Callers use {@code RemotePlacement} or {@code EmbeddedPlacement}. Implement this interface only for another
 * transport.
 */
public interface Transport {
    /** Makes a unary call and waits for the answer. Fails with {@link PlacementException}. */
    <Q extends MessageLite, A extends MessageLite> A call(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline);

    /**
     * Starts a unary call and returns immediately. {@code answers} receives the answer and then the end, or only the
     * failure.
     *
     * @return a task that cancels the call
     */
    <Q extends MessageLite, A extends MessageLite> Runnable start(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers);

    /** Opens a stream that answers each message with one message, in order. */
    <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(ProtocolMethod<Q, A> method, Answers<A> answers);

    /** Cancels streams, waits for open calls at most for {@code grace}, and releases all resources. */
    void close(Duration grace);

    /** The client's side of a stream. Only one thread at a time may use it, except for {@link #cancel}. */
    interface Exchange<Q extends MessageLite> {
        /** Sends a message; does not block. */
        void send(Payload<Q> message);

        /** Half-closes the stream. Messages that were already sent are still answered. */
        void finish();

        /** Cancels the stream immediately. */
        void cancel(String reason);
    }

    /** Receives the server's answers, from one thread at a time. */
    interface Answers<A> {
        /** The answer to the oldest unanswered message. */
        void answered(A answer);

        /** Called last. {@code failure} is null if every message was answered and the stream ended normally. */
        void ended(@Nullable PlacementException failure);
    }
}
