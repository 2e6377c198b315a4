package io.evenkeel.client.embedded;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.Payload;
import io.evenkeel.client.Transport;
import io.evenkeel.placement.call.OrderedMessages;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client stream to handlers in the same process. The thread that sends a message also handles it, unless an earlier
 * message is still waiting.
 */
final class OrderedExchange<Q extends MessageLite, A> implements Transport.Exchange<Q> {
    private final OrderedMessages<Payload<Q>, A> messages;

    /**
     * @param handler handles messages
     * @param atEnd called once, before {@code answers} receives the end
     */
    OrderedExchange(
            OrderedMessages.Handler<Payload<Q>, A> handler,
            Transport.Answers<A> answers,
            Consumer<OrderedExchange<Q, A>> atEnd) {
        messages = new OrderedMessages<>(handler, new OrderedMessages.Outlet<>() {
            @Override
            public void answered(A answer) {
                answers.answered(answer);
            }

            @Override
            public void ended(@Nullable Throwable failure) {
                atEnd.accept(OrderedExchange.this);
                answers.ended(failure == null ? null : Failures.of(failure));
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

    /** Ends the stream on behalf of the server. */
    void end(Throwable why) {
        messages.end(why);
    }

    @Override
    public void cancel(String reason) {
        messages.end(Failures.cancelled(reason, null));
    }
}
