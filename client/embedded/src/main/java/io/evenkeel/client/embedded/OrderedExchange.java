package io.evenkeel.client.embedded;

import io.evenkeel.client.Transport;
import io.evenkeel.placement.call.OrderedMessages;
import io.evenkeel.placement.call.Recipient;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client stream to handlers in the same process. The thread that sends a message also handles it, unless an earlier
 * message is still waiting.
 */
final class OrderedExchange<Q, A> implements Transport.Exchange<Q> {
    private final OrderedMessages.Handler<Q, A> handler;
    private final OrderedMessages.Handler<byte[], A> encodedHandler;
    private final OrderedMessages<Consumer<Recipient<A>>, A> messages;

    /**
     * @param handler handles messages
     * @param encodedHandler handles encoded messages
     * @param atEnd called once, before {@code answers} receives the end
     */
    OrderedExchange(
            OrderedMessages.Handler<Q, A> handler,
            OrderedMessages.Handler<byte[], A> encodedHandler,
            Transport.Answers<A> answers,
            Consumer<OrderedExchange<Q, A>> atEnd) {
        this.handler = handler;
        this.encodedHandler = encodedHandler;
        messages = new OrderedMessages<>(Consumer::accept, new OrderedMessages.Outlet<>() {
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
    public void send(Q message) {
        messages.add(recipient -> handler.handle(message, recipient));
    }

    @Override
    public void sendEncoded(byte[] message) {
        messages.add(recipient -> encodedHandler.handle(message, recipient));
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
