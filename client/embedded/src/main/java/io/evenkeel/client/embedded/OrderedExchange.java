package io.evenkeel.client.embedded;

import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Transport;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream without a wire: messages are handled one after the other and answered in order. A message is handled by the
 * thread that sends it, unless an earlier one is still waiting; then by the thread that ends that wait.
 *
 * <p>Whoever sets {@link #busy} is the only one that handles and tells, until it clears it. How many messages can wait
 * is the sender's to bound.
 */
final class OrderedExchange<Q, A> implements Transport.Exchange<Q> {
    /** Answers one message at a time. */
    interface Handler<Q, A> {
        /** Completes {@code answer}; where it fails, the stream ends. */
        void handle(Q message, CompletableFuture<A> answer);
    }

    private final Handler<Q, A> handler;
    private final Transport.Answers<A> answers;
    private final Consumer<OrderedExchange<Q, A>> atEnd;
    private final Queue<Q> waiting = new ArrayDeque<>();
    private @Nullable CompletableFuture<A> current;
    private @Nullable PlacementException failure;
    private boolean busy;
    private boolean finished;
    private boolean over;

    /** @param atEnd told once, before {@code answers} is told of the end */
    OrderedExchange(Handler<Q, A> handler, Transport.Answers<A> answers, Consumer<OrderedExchange<Q, A>> atEnd) {
        this.handler = handler;
        this.answers = answers;
        this.atEnd = atEnd;
    }

    @Override
    public void send(Q message) {
        synchronized (this) {
            if (over) {
                return;
            }
            waiting.add(message);
        }
        proceed();
    }

    @Override
    public void finish() {
        synchronized (this) {
            finished = true;
        }
        proceed();
    }

    @Override
    public void cancel(String reason) {
        CompletableFuture<A> awaited;
        synchronized (this) {
            if (failure == null) {
                failure = Failures.cancelled(reason, null);
            }
            awaited = current;
        }
        if (awaited != null) {
            awaited.cancel(false);
        }
        proceed();
    }

    /** Handles what waits, unless somebody does already. */
    private void proceed() {
        while (true) {
            Q message;
            CompletableFuture<A> answer = new CompletableFuture<>();
            synchronized (this) {
                if (busy || over) {
                    return;
                }
                message = failure == null ? waiting.poll() : null;
                if (message == null && failure == null && !finished) {
                    return;
                }
                busy = true;
                current = message == null ? null : answer;
                over = message == null;
            }
            if (message == null) {
                waiting.clear();
                atEnd.accept(this);
                answers.ended(failure);
                return;
            }
            handler.handle(message, answer);
            if (!answer.isDone()) {
                Completion.of(answer, (value, failed) -> {
                    tell(value, failed);
                    proceed();
                });
                return;
            }
            Completion.of(answer, this::tell);
        }
    }

    private void tell(@Nullable A value, @Nullable Throwable failed) {
        synchronized (this) {
            current = null;
            if (failed != null && failure == null) {
                failure = Failures.of(failed);
            }
        }
        if (value != null) {
            answers.answered(value);
        }
        synchronized (this) {
            busy = false;
        }
    }
}
