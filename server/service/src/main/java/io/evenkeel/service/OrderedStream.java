package io.evenkeel.service;

import io.evenkeel.placement.call.OrderedMessages;
import io.evenkeel.placement.call.Recipient;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
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
final class OrderedStream<Q, A> implements StreamObserver<Q> {
    /** Handles the messages of the stream. */
    interface Service<Q, A> extends OrderedMessages.Handler<Q, A> {
        /**
         * Called when the stream has ended.
         *
         * @param failure the cause; null if the client has completed the stream
         * @param end completes the answers and sends the cause to the client. Run it once the stream's resources are
         *     released, because the client may reconnect as soon as it sees the end
         */
        void ended(@Nullable Throwable failure, Runnable end);
    }

    /** One in this many messages is timed, because reading the clock takes as long as many answers do. */
    static final int TIMED_ONE_IN = 16;

    /** How long answers may wait to be sent together: several times as long as sending takes. */
    private static final long TOGETHER_NANOS = 50_000;

    /** The call is ready when no response is waiting to be sent. */
    private static final int NOTHING_WAITS = 1;

    private final ServerCallStreamObserver<A> call;
    private final Service<Q, A> service;
    private final LongSupplier clock;
    private final OrderedMessages<Q, A> messages;
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
            ServerCallStreamObserver<A> call, Service<Q, A> service, LongSupplier clock, @Nullable Timer times) {
        this.call = call;
        this.service = service;
        this.clock = clock;
        this.times = times;
        this.messages = new OrderedMessages<>(this::handle, new Answers());
    }

    /** Starts handling a stream that was just opened. */
    static <Q, A> OrderedStream<Q, A> open(StreamObserver<A> answers, Service<Q, A> service) {
        return open(answers, service, System::nanoTime);
    }

    /** @param clock nanoseconds with an arbitrary origin */
    static <Q, A> OrderedStream<Q, A> open(StreamObserver<A> answers, Service<Q, A> service, LongSupplier clock) {
        ServerCallStreamObserver<A> call = (ServerCallStreamObserver<A>) answers;
        OpenCall open = OpenCall.current();
        OrderedStream<Q, A> stream =
                new OrderedStream<>(call, service, clock, open == null ? null : open.messageTimes());
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

    private void handle(Q message, Recipient<A> recipient) {
        context.run(() -> service.handle(message, recipient));
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

    /** Aborts the stream. Any thread can call this. */
    void end(Throwable why) {
        messages.end(why);
    }

    /**
     * Aborts the stream if the client has left answers unread for longer than {@code longestNanos}. Returns whether it
     * did.
     */
    boolean endIfUnread(long longestNanos, Duration longest) {
        synchronized (this) {
            if (!answered || ended || call.isReady() || clock.getAsLong() - waitingSince <= longestNanos) {
                return false;
            }
        }
        return messages.end(RequestException.of(
                ErrorReason.ERROR_REASON_ANSWERS_UNREAD,
                "answers were not read within " + longest + ": read them as they arrive"));
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
    private final class Answers implements OrderedMessages.Outlet<A> {
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
    }
}
