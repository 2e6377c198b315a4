package io.evenkeel.client.embedded;

import io.evenkeel.client.Transport;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.SerialQueue;
import io.evenkeel.placement.call.TaskPool;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client stream to handlers in the same process. The thread that sends a message also handles it, unless an earlier
 * message is still waiting.
 */
final class OrderedExchange<Q, R, A> implements Transport.Exchange<Q> {
    /** Streams have no deadline. The instance limits how long their messages wait for a revision. */
    private static final Duration NO_DEADLINE = Duration.ofDays(1);

    private final BiConsumer<Q, Call<R>> handler;
    private final BiConsumer<byte[], Call<R>> encodedHandler;
    private final SerialQueue<Consumer<Call<R>>, R> messages;

    /**
     * @param handler handles messages
     * @param encodedHandler handles encoded messages
     * @param result reads the message in a handler's answer
     * @param pool runs the long work of messages
     * @param atEnd called once, before {@code answers} receives the end
     */
    OrderedExchange(
            BiConsumer<Q, Call<R>> handler,
            BiConsumer<byte[], Call<R>> encodedHandler,
            Function<R, A> result,
            TaskPool pool,
            Transport.Answers<A> answers,
            Consumer<OrderedExchange<Q, R, A>> atEnd) {
        this.handler = handler;
        this.encodedHandler = encodedHandler;
        messages = new SerialQueue<>(Consumer::accept, new SerialQueue.Outlet<>() {
            @Override
            public void answered(R answer) {
                answers.answered(result.apply(answer));
            }

            @Override
            public void ended(@Nullable Throwable failure) {
                atEnd.accept(OrderedExchange.this);
                answers.ended(failure == null ? null : Failures.of(failure));
            }

            @Override
            public Duration patience() {
                return NO_DEADLINE;
            }

            @Override
            public TaskPool pool() {
                return pool;
            }
        });
    }

    @Override
    public void send(Q message) {
        messages.add(call -> handler.accept(message, call));
    }

    @Override
    public void sendEncoded(byte[] message) {
        messages.add(call -> encodedHandler.accept(message, call));
    }

    @Override
    public void finish() {
        messages.finish();
    }

    /** Ends the stream on behalf of the server. */
    void end(Throwable why) {
        messages.end(why);
    }

    @Override
    public void cancel(String reason) {
        messages.end(Failures.cancelled(reason, null));
    }
}
