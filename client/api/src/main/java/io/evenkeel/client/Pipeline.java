package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages on a stream that answers each message with one message, in order, and matches answers to futures. Many
 * messages may be under way, within the limits of its {@link Window}. Any thread may send.
 *
 * <p>A message is added to {@link #waiting} and sent under one lock, otherwise answers would go to the wrong futures.
 * Futures are completed outside the lock, because their dependent stages may send.
 */
final class Pipeline<Q extends MessageLite, A extends MessageLite> implements MessageStream<Q, A> {
    private static final int MAX_MESSAGES = 256;
    private static final long MAX_BYTES = 16L << 20;

    /**
     * A message without an answer.
     *
     * @param read converts the answer to the future's value, or throws the future's failure
     */
    private record Waiting<A, R>(CompletableFuture<R> future, Function<A, R> read, long size) {
        void complete(A answer) {
            R value;
            try {
                value = read.apply(answer);
            } catch (PlacementException failed) {
                future.completeExceptionally(failed);
                return;
            }
            future.complete(value);
        }
    }

    private final Window window = new Window(MAX_MESSAGES, MAX_BYTES);
    private final ReentrantLock sending = new ReentrantLock();
    private final Queue<Waiting<A, ?>> waiting = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> completions = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    private final OwnWrites writes;
    private final Transport.Exchange<Q> exchange;
    private volatile @Nullable PlacementException failure;

    Pipeline(Transport transport, ProtocolMethod<Q, A> method, OwnWrites writes) {
        this.writes = writes;
        exchange = transport.open(method, new Replies());
    }

    @Override
    public <R> CompletableFuture<R> send(Payload<Q> message, Function<A, R> read) {
        int size = message.size();
        try {
            if (!window.enter(size)) {
                return CompletableFuture.failedFuture(whyEnded());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(
                    new PlacementException(ErrorCode.CANCELLED, "interrupted while waiting for room on the stream"));
        }
        return sendWithin(size, message, read);
    }

    @Override
    public <R> @Nullable CompletableFuture<R> trySend(Payload<Q> message, Function<A, R> read) {
        int size = message.size();
        if (window.tryEnter(size)) {
            return sendWithin(size, message, read);
        }
        PlacementException ended = failure;
        return ended == null ? null : CompletableFuture.failedFuture(ended);
    }

    private <R> CompletableFuture<R> sendWithin(long size, Payload<Q> message, Function<A, R> read) {
        CompletableFuture<R> future = new CompletableFuture<>();
        sending.lock();
        try {
            PlacementException ended = failure;
            if (ended != null) {
                return CompletableFuture.failedFuture(ended);
            }
            waiting.add(new Waiting<>(future, read, size));
            exchange.send(message);
        } finally {
            sending.unlock();
        }
        completeWhatCame();
        return future;
    }

    /** Runs the completion of a future now, or after sending if the answer arrived while this thread was sending. */
    private void complete(Runnable completion) {
        if (sending.isHeldByCurrentThread()) {
            completions.add(completion);
        } else {
            completion.run();
        }
    }

    private void completeWhatCame() {
        for (Runnable completion = completions.poll(); completion != null; completion = completions.poll()) {
            completion.run();
        }
    }

    @Override
    public void close(Duration grace) {
        sending.lock();
        try {
            if (failure == null) {
                failure = new PlacementException(ErrorCode.CANCELLED, "the stream was closed");
                exchange.finish();
            }
        } finally {
            sending.unlock();
        }
        completeWhatCame();
        window.close();
        try {
            over.get(grace.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException late) {
            exchange.cancel("closed before all messages were answered");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            exchange.cancel("interrupted while closing");
        }
    }

    private PlacementException whyEnded() {
        PlacementException ended = failure;
        return ended == null ? new PlacementException(ErrorCode.CANCELLED, "the stream was closed") : ended;
    }

    private final class Replies implements Transport.Answers<A> {
        @Override
        public void answered(A answer) {
            Waiting<A, ?> oldest = waiting.poll();
            if (oldest == null) {
                exchange.cancel("received an answer without a request");
                return;
            }
            writes.note(answer);
            window.leave(oldest.size());
            complete(() -> oldest.complete(answer));
        }

        @Override
        public void ended(@Nullable PlacementException reason) {
            PlacementException why = reason == null
                    ? new PlacementException(ErrorCode.UNAVAILABLE, "the server ended the stream")
                    : reason;
            sending.lock();
            try {
                if (failure == null) {
                    failure = why;
                }
            } finally {
                sending.unlock();
            }
            window.close();
            for (Waiting<A, ?> rest = waiting.poll(); rest != null; rest = waiting.poll()) {
                CompletableFuture<?> unanswered = rest.future();
                complete(() -> unanswered.completeExceptionally(why));
            }
            over.complete(null);
        }
    }
}
