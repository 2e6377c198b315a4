package io.evenkeel.service;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/**
 * A bidirectional stream whose messages are answered one by one, in order. The next message is asked for when the last was answered and the other side has room for more
 * answers, so that no more than one message and one answer are held, however fast the other side sends or slow it reads.
 */
final class OrderedStream<Q, A> implements StreamObserver<Q> {
    /** What the messages mean. Told of one message at a time. */
    interface Service<Q, A> {
        /** Answers a message by one call of {@link OrderedStream#answer} or {@link OrderedStream#fail}, now or later, by any thread. */
        void take(Q message, OrderedStream<Q, A> stream);

        /** The stream is over, however it ended; a message may still be under way. */
        void ended();
    }

    /** Answers that wait to be sent: enough for a burst of them to go out together. */
    private static final int WAITING_BYTES = 256 << 10;

    private final ServerCallStreamObserver<A> call;
    private final Service<Q, A> service;
    private boolean busy;
    private boolean noMoreMessages;
    private boolean askWhenReady;
    private boolean ended;

    private OrderedStream(ServerCallStreamObserver<A> call, Service<Q, A> service) {
        this.call = call;
        this.service = service;
    }

    /** Takes up a stream that has just been opened. */
    static <Q, A> OrderedStream<Q, A> open(StreamObserver<A> answers, Service<Q, A> service) {
        ServerCallStreamObserver<A> call = (ServerCallStreamObserver<A>) answers;
        OrderedStream<Q, A> stream = new OrderedStream<>(call, service);
        call.disableAutoRequest();
        call.setOnReadyThreshold(WAITING_BYTES);
        call.setOnReadyHandler(stream::askIfReady);
        call.setOnCancelHandler(stream::end);
        call.request(1);
        return stream;
    }

    @Override
    public void onNext(Q message) {
        synchronized (this) {
            if (ended) {
                return;
            }
            busy = true;
        }
        try {
            service.take(message, this);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** The answer to the message under way. */
    void answer(A answer) {
        boolean complete;
        synchronized (this) {
            if (ended) {
                return;
            }
            call.onNext(answer);
            busy = false;
            complete = noMoreMessages;
            askWhenReady = !complete;
        }
        if (complete) {
            complete();
        } else {
            askIfReady();
        }
    }

    /** Ends the stream with an error. */
    void fail(Throwable error) {
        synchronized (this) {
            if (ended) {
                return;
            }
            call.onError(StatusErrors.of(error));
        }
        end();
    }

    /** Whether nobody listens any more. */
    synchronized boolean isOver() {
        return ended;
    }

    private void askIfReady() {
        synchronized (this) {
            if (!askWhenReady || ended || !call.isReady()) {
                return;
            }
            askWhenReady = false;
        }
        call.request(1);
    }

    @Override
    public void onCompleted() {
        boolean complete;
        synchronized (this) {
            noMoreMessages = true;
            complete = !busy;
        }
        if (complete) {
            complete();
        }
    }

    @Override
    public void onError(Throwable error) {
        end();
    }

    private void complete() {
        synchronized (this) {
            if (ended) {
                return;
            }
            call.onCompleted();
        }
        end();
    }

    private void end() {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        service.ended();
    }
}
