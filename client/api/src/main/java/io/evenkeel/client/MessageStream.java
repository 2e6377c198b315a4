package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A stream that answers each message with one message, in order. Any thread may send. */
interface MessageStream<Q extends MessageLite, A extends MessageLite> {
    /**
     * Sends a message. Blocks until there is room.
     *
     * @param read converts the answer to the future's value, or throws {@link PlacementException}
     */
    <R> CompletableFuture<R> send(Payload<Q> message, Function<A, R> read);

    /** Sends if there is room now; otherwise returns null. */
    <R> @Nullable CompletableFuture<R> trySend(Payload<Q> message, Function<A, R> read);

    /** Waits for all answers, at most for {@code grace}, and ends the stream. */
    void close(Duration grace);

    /**
     * A view of this stream for messages of other types.
     *
     * @param toMessage converts the messages that are sent through the view
     * @param toAnswer converts the answers to them, or throws {@link PlacementException}
     */
    default <P extends MessageLite, B extends MessageLite> MessageStream<P, B> as(
            Function<Payload<P>, Payload<Q>> toMessage, Function<A, B> toAnswer) {
        MessageStream<Q, A> whole = this;
        return new MessageStream<>() {
            @Override
            public <R> CompletableFuture<R> send(Payload<P> message, Function<B, R> read) {
                return whole.send(toMessage.apply(message), toAnswer.andThen(read));
            }

            @Override
            public <R> @Nullable CompletableFuture<R> trySend(Payload<P> message, Function<B, R> read) {
                return whole.trySend(toMessage.apply(message), toAnswer.andThen(read));
            }

            @Override
            public void close(Duration grace) {
                whole.close(grace);
            }
        };
    }
}
