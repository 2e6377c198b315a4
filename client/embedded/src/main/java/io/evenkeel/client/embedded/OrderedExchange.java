package io.evenkeel.client.embedded;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.Payload;
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
final class OrderedExchange<Q extends MessageLite, R, A> implements EmbeddedStream<Q> {
    /** Streams have no deadline. The instance limits how long their messages wait for a revision. */
    private static final Duration NO_DEADLINE = Duration.ofDays(1);

    private final SerialQueue<Payload<Q>, R> messages;

    /**
     * @param handler handles messages
     * @param result reads the message in a handler's answer
     * @param pool runs the long work of messages
     * @param atEnd called once, before {@code answers} receives the end
     */
    OrderedExchange(
            BiConsumer<Payload<Q>, Call<R>> handler,
            Function<R, A> result,
            TaskPool pool,
            Transport.Answers<A> answers,
            Consumer<OrderedExchange<Q, R, A>> atEnd) {
        messages = new SerialQueue<>(handler::accept, new SerialQueue.Outlet<>() {
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
            public Object identity() {
                return EmbeddedCall.class;
            }

            @Override
            public TaskPool pool() {
                return pool;
            }
        });
    }

    @Override
    public void send(Payload<Q> message) {
        messages.add(message);
    }

    @Override
    public void finish() {
        messages.finish();
    }

    @Override
    public void end(Throwable why) {
        messages.end(why);
    }

    @Override
    public void cancel(String reason) {
        messages.end(Failures.cancelled(reason, null));
    }
}
