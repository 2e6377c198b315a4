package io.evenkeel.service;

import io.evenkeel.placement.answer.WatchUnblockedHandler;
import io.evenkeel.placement.answer.WatchedVerdicts;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.SerialQueue;
import io.evenkeel.placement.call.TaskPool;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A WatchUnblocked stream. The pool handles its messages one by one. Results, and the pods that are unblocked, are sent
 * by whichever thread finds them. The next message is requested once all results are sent.
 *
 * <p>Responses are passed to the transport while less than 32 KiB wait there (gRPC's default), so that a writer has
 * passed on what it found before its own answer, unless the client does not read.
 */
final class WatchStream implements StreamObserver<WatchUnblockedRequest>, AnsweredStream {
    private static final long NEVER = Long.MIN_VALUE;

    private final ServerCallStreamObserver<WatchUnblockedResponse> call;
    private final WorkerPool pool;
    private final WatchedVerdicts pods;
    private final @Nullable OpenCall open = OpenCall.current();
    private final SerialQueue<WatchUnblockedRequest, Boolean> messages;

    /** The call's context, with its connection, because any thread may handle a message. */
    private final Context context = Context.current();

    private boolean awaitsMessage;

    /** Since when responses wait because the client does not read. */
    private volatile long waitingSince = NEVER;

    private WatchStream(
            WatchUnblockedHandler handler, ServerCallStreamObserver<WatchUnblockedResponse> call, WorkerPool pool) {
        this.call = call;
        this.pool = pool;
        pods = handler.open(new Responses());
        messages = new SerialQueue<>(this::handle, new Handled());
    }

    /**
     * Starts handling a stream that was just opened.
     *
     * @param pool handles its messages
     */
    static WatchStream open(
            WatchUnblockedHandler handler, StreamObserver<WatchUnblockedResponse> responses, WorkerPool pool) {
        ServerCallStreamObserver<WatchUnblockedResponse> call =
                (ServerCallStreamObserver<WatchUnblockedResponse>) responses;
        WatchStream stream = new WatchStream(handler, call, pool);
        if (stream.open != null) {
            stream.open.answersOn(stream);
        }
        call.disableAutoRequest();
        call.setOnReadyHandler(stream::flush);
        call.setOnCancelHandler(() -> stream.onError(Status.CANCELLED.asRuntimeException()));
        stream.awaitsMessage = true;
        call.request(1);
        return stream;
    }

    @Override
    public void onNext(WatchUnblockedRequest message) {
        messages.add(message);
    }

    private void handle(WatchUnblockedRequest message, Call<Boolean> one) {
        context.run(() -> one.answerWith(false, () -> {
            pods.handle(message, one);
            return true;
        }));
    }

    /** The client sends no more messages: its pods stay watched until it cancels the stream. */
    @Override
    public void onCompleted() {}

    /** Called when the client has cancelled the stream or disconnected. */
    @Override
    public void onError(Throwable error) {
        messages.end(error);
    }

    @Override
    public void end(Throwable why) {
        messages.end(why);
    }

    @Override
    public boolean endIfUnread(long longestNanos, Duration longest) {
        long since = waitingSince;
        return since != NEVER
                && !call.isReady()
                && System.nanoTime() - since > longestNanos
                && messages.end(AnsweredStream.unread(longest));
    }

    private void flush() {
        pods.flush();
        ask();
    }

    /** Requests the next message, once the previous one is handled and its results are sent. */
    private void ask() {
        synchronized (this) {
            if (awaitsMessage || !pods.isFlushed()) {
                return;
            }
            awaitsMessage = true;
        }
        if (open != null) {
            open.requestIsAnswered();
        }
        call.request(1);
    }

    /** Sends responses. */
    private final class Responses implements WatchedVerdicts.Outlet {
        @Override
        public boolean isReady() {
            if (open != null) {
                open.giveBackWhatIsSent();
            }
            boolean ready = call.isReady();
            if (ready) {
                waitingSince = NEVER;
            } else if (waitingSince == NEVER) {
                waitingSince = System.nanoTime();
            }
            return ready;
        }

        @Override
        public void send(WatchUnblockedResponse response) {
            call.onNext(response);
        }

        @Override
        public void fail(Throwable why) {
            messages.end(why);
        }
    }

    /** Continues after messages. */
    private final class Handled implements SerialQueue.Outlet<Boolean> {
        @Override
        public void answered(Boolean handled) {
            synchronized (WatchStream.this) {
                awaitsMessage = false;
            }
            ask();
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            Runnable close = () -> {
                try {
                    pods.close();
                } finally {
                    if (failure == null) {
                        call.onCompleted();
                    } else if (!call.isCancelled()) {
                        call.onError(StatusErrors.of(failure));
                    }
                }
            };
            // It takes the engine's lock.
            pool.later(close, refused -> close.run());
        }

        @Override
        public Duration patience() {
            return CallDeadline.patience();
        }

        @Override
        public Object identity() {
            return OpenCall.identity(open);
        }

        @Override
        public TaskPool pool() {
            return pool;
        }
    }
}
