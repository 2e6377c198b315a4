package io.evenkeel.service;

import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.SerialQueue;
import io.evenkeel.placement.call.TaskPool;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose messages are answered one by one, in order. The next message is requested once the previous one is
 * answered. If answers have been waiting to be sent for some time, it is requested only once all are sent. So the
 * server holds at most one message and the answers of that time, however fast the client sends or slowly it reads.
 *
 * <p>The event loop sends answers when it has nothing else to do. With many messages at hand, this would be after the
 * last of them. Until then the client would be idle and send no new messages, and then the server would be idle.
 * Sending answers in between keeps both busy.
 */
final class OrderedStream<Q, A> implements StreamObserver<Q>, AnsweredStream {
    /** Handles the messages of the stream. */
    interface Service<Q, A> extends SerialQueue.MessageHandler<Q, A> {
        /**
         * Called when the stream has ended.
         *
         * @param failure the cause; null if the client has completed the stream
         * @param end completes the answers and sends the cause to the client. Run it once the stream's resources are
         *     released, because the client may reconnect as soon as it sees the end
         */
        default void ended(@Nullable Throwable failure, Runnable end) {
            end.run();
        }
    }

    /**
     * One in this many messages is timed, because reading the clock takes as long as many answers do. Odd, so that both
     * kinds of messages are timed if they alternate.
     */
    static final int TIMED_ONE_IN = 17;

    /** How long answers may wait to be sent together: several times as long as sending takes. */
    private static final long TOGETHER_NANOS = 50_000;

    /** The call is ready when no response is waiting to be sent. */
    private static final int NOTHING_WAITS = 1;

    private final ServerCallStreamObserver<A> call;
    private final WorkerPool pool;
    private final Service<Q, A> service;
    private final LongSupplier clock;
    private final SerialQueue<Q, A> messages;
    private final @Nullable Timer times;

    /** The call's context, with its deadline and connection, because any thread may handle a message. */
    private final Context context = Context.current();

    private int untimed;

    /** Whether the current message is timed. The next one is read once it is answered. */
    private boolean timed;

    private long since;

    private boolean answered;
    private boolean askWhenReady;
    private boolean ended;

    /** Since when the oldest unsent answer is waiting. */
    private long waitingSince;

    private OrderedStream(
            ServerCallStreamObserver<A> call,
            WorkerPool pool,
            Service<Q, A> service,
            LongSupplier clock,
            @Nullable Timer times) {
        this.call = call;
        this.pool = pool;
        this.service = service;
        this.clock = clock;
        this.times = times;
        this.messages = new SerialQueue<>(this::handle, new Answers());
    }

    /**
     * Starts handling a stream that was just opened.
     *
     * @param pool runs the long work of messages
     */
    static <Q, A> OrderedStream<Q, A> open(StreamObserver<A> answers, WorkerPool pool, Service<Q, A> service) {
        return open(answers, pool, service, System::nanoTime);
    }

    /** @param clock nanoseconds with an arbitrary origin */
    static <Q, A> OrderedStream<Q, A> open(
            StreamObserver<A> answers, WorkerPool pool, Service<Q, A> service, LongSupplier clock) {
        ServerCallStreamObserver<A> call = (ServerCallStreamObserver<A>) answers;
        OpenCall open = OpenCall.current();
        OrderedStream<Q, A> stream =
                new OrderedStream<>(call, pool, service, clock, open == null ? null : open.messageTimes());
        if (open != null) {
            open.answersOn(stream);
        }
        call.disableAutoRequest();
        call.setOnReadyThreshold(NOTHING_WAITS);
        call.setOnReadyHandler(() -> stream.ask(false));
        call.setOnCancelHandler(() -> stream.onError(Status.CANCELLED.asRuntimeException()));
        call.request(1);
        return stream;
    }

    private void handle(Q message, Call<A> one) {
        context.run(() -> service.handle(message, one));
    }

    @Override
    public void onNext(Q message) {
        timed = times != null && untimed == 0;
        if (timed) {
            since = clock.getAsLong();
        }
        untimed = (untimed + 1) % TIMED_ONE_IN;
        messages.add(message);
    }

    @Override
    public void onCompleted() {
        messages.finish();
    }

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
        synchronized (this) {
            if (!answered || ended || call.isReady() || clock.getAsLong() - waitingSince <= longestNanos) {
                return false;
            }
        }
        return messages.end(AnsweredStream.unread(longest));
    }

    /**
     * Requests the next message, unless it has already been requested: at once if {@code now}, otherwise once no answer
     * is waiting to be sent.
     */
    private void ask(boolean now) {
        synchronized (this) {
            if (!askWhenReady || ended || !(now || call.isReady())) {
                return;
            }
            askWhenReady = false;
        }
        call.request(1);
    }

    /** Sends answers, and requests messages. */
    private final class Answers implements SerialQueue.Outlet<A> {
        @Override
        public void answered(A answer) {
            boolean together;
            synchronized (OrderedStream.this) {
                long now = clock.getAsLong();
                if (timed && times != null) {
                    times.record(now - since, TimeUnit.NANOSECONDS);
                }
                if (call.isReady()) {
                    waitingSince = now;
                }
                together = now - waitingSince < TOGETHER_NANOS;
                call.onNext(answer);
                answered = true;
                askWhenReady = true;
            }
            ask(together);
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            synchronized (OrderedStream.this) {
                ended = true;
            }
            service.ended(failure, () -> {
                if (failure == null) {
                    call.onCompleted();
                } else if (!call.isCancelled()) {
                    call.onError(StatusErrors.of(failure));
                }
            });
        }

        @Override
        public Duration patience() {
            return CallDeadline.patience();
        }

        @Override
        public Object identity() {
            return OpenCall.identity(OpenCall.current());
        }

        @Override
        public TaskPool pool() {
            return pool;
        }
    }
}
