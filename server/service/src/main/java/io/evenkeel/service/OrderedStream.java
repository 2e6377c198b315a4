package io.evenkeel.service;

import io.evenkeel.placement.call.OrderedMessages;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A bidirectional stream whose messages are answered one by one, in order. The next message is asked for when the last
 * was answered, unless answers have been waiting to be sent for a while: then once all are sent. So no more is held
 * than one message and what was answered in that while, however fast the other side sends or slow it reads.
 *
 * <p>The event loop sends what it has when it has nothing else to do. With many messages at hand that would be after
 * the last of them, and the other side, which has nothing to do until then, would send no new ones: each side would
 * wait for the other. Sending in between has both at work.
 */
final class OrderedStream<Q, A> implements StreamObserver<Q> {
    /** What the messages mean. */
    interface Service<Q, A> extends OrderedMessages.Handler<Q, A> {
        /** The stream is over, however it ended. */
        void ended();
    }

    /** How long answers wait for others to go out with them: several times what sending takes. */
    private static final long TOGETHER_NANOS = 50_000;

    /** The call is ready when no response is waiting to be sent. */
    private static final int NOTHING_WAITS = 1;

    private final ServerCallStreamObserver<A> call;
    private final Service<Q, A> service;
    private final LongSupplier clock;
    private final OrderedMessages<Q, A> messages;
    private boolean answered;
    private boolean askWhenReady;
    private boolean ended;

    /** Null for calls that no tracer sees, as in tests. */
    private final @Nullable OpenCall open = OpenCall.current();

    /** When the first of the answers that wait was given. */
    private long waitingSince;

    private OrderedStream(ServerCallStreamObserver<A> call, Service<Q, A> service, LongSupplier clock) {
        this.call = call;
        this.service = service;
        this.clock = clock;
        this.messages = new OrderedMessages<>(service, new Answers());
    }

    /** Takes up a stream that has just been opened. */
    static <Q, A> OrderedStream<Q, A> open(StreamObserver<A> answers, Service<Q, A> service) {
        return open(answers, service, System::nanoTime);
    }

    /** @param clock nanoseconds from any origin */
    static <Q, A> OrderedStream<Q, A> open(StreamObserver<A> answers, Service<Q, A> service, LongSupplier clock) {
        ServerCallStreamObserver<A> call = (ServerCallStreamObserver<A>) answers;
        OrderedStream<Q, A> stream = new OrderedStream<>(call, service, clock);
        if (stream.open != null) {
            stream.open.answersOn(stream);
        }
        call.disableAutoRequest();
        call.setOnReadyThreshold(NOTHING_WAITS);
        call.setOnReadyHandler(() -> stream.ask(false));
        call.setOnCancelHandler(() -> stream.onError(Status.CANCELLED.asRuntimeException()));
        call.request(1);
        return stream;
    }

    @Override
    public void onNext(Q message) {
        messages.add(message);
    }

    @Override
    public void onCompleted() {
        messages.finish();
    }

    /** The other side has gone. */
    @Override
    public void onError(Throwable error) {
        messages.end(error);
    }

    /**
     * Ends the stream where answers have been waiting for the other side to read them for longer than
     * {@code longestNanos}. Answers whether it did.
     */
    boolean endIfUnread(long longestNanos, Duration longest) {
        synchronized (this) {
            if (!answered || ended || call.isReady() || clock.getAsLong() - waitingSince <= longestNanos) {
                return false;
            }
        }
        return messages.end(Status.ABORTED
                .withDescription("answers must be read within " + longest + ", these were not: read them as they come")
                .asRuntimeException());
    }

    /**
     * Asks for the next message where that is to be done; {@code now}, or if nothing waits. It may have been asked for
     * before all was sent.
     */
    private void ask(boolean now) {
        synchronized (this) {
            boolean ready = call.isReady();
            if (ready && open != null) {
                // Here, so that no answer is given between the two.
                open.answersAreSent();
            }
            if (!askWhenReady || ended || !(now || ready)) {
                return;
            }
            askWhenReady = false;
        }
        call.request(1);
    }

    /** Sends answers, and asks for messages. */
    private final class Answers implements OrderedMessages.Outlet<A> {
        @Override
        public void answered(A answer) {
            boolean together;
            synchronized (OrderedStream.this) {
                long now = clock.getAsLong();
                if (call.isReady()) {
                    waitingSince = now;
                }
                together = now - waitingSince < TOGETHER_NANOS;
                call.onNext(answer);
                answered = true;
                if (open != null) {
                    open.requestIsAnswered();
                }
                askWhenReady = true;
            }
            ask(together);
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            synchronized (OrderedStream.this) {
                ended = true;
            }
            if (failure == null) {
                call.onCompleted();
            } else if (!call.isCancelled()) {
                call.onError(StatusErrors.of(failure));
            }
            service.ended();
        }
    }
}
