package io.evenkeel.loadtest.load;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls as messages of one stream. Each message is answered by one message, in the same order. After a stream
 * fails, the next call opens a new one. An answer after the timeout counts as a failure, but the caller still waits for
 * it because later answers follow it. Thread-safe.
 */
final class StreamCaller<Q, A> implements LoadCaller {
    /**
     * How many answers to request from gRPC at a time. The loops limit the number in flight, so this needs no limit.
     */
    private static final int ANSWERS_AHEAD = 256;

    private final Channel channel;
    private final LoadQuestions<Q, A> questions;
    private final Duration timeout;
    private final Clock clock;
    private int next;
    private @Nullable Exchange exchange;

    /**
     * @param questions messages of a stream
     * @param timeout how long an answer may take after its message is sent
     */
    StreamCaller(Channel channel, LoadQuestions<Q, A> questions, Duration timeout, Clock clock) {
        this.channel = channel;
        this.questions = questions;
        this.timeout = timeout;
        this.clock = clock;
    }

    @Override
    public synchronized void call(Completion completion) {
        Exchange open = exchange;
        if (open == null) {
            open = new Exchange(channel.newCall(questions.method(), CallOptions.DEFAULT));
            exchange = open;
            open.begin();
        }
        open.send(questions.request(next++), completion);
    }

    @Override
    public void close() {
        Exchange open;
        synchronized (this) {
            open = exchange;
        }
        if (open != null) {
            open.call.cancel("the load run is over", null);
        }
    }

    private synchronized void ended(Exchange over) {
        if (exchange == over) {
            exchange = null;
        }
    }

    private @Nullable Fault fault(A answer, long sent) {
        return clock.nanos() - sent > timeout.toNanos()
                ? new Fault(
                        Status.Code.DEADLINE_EXCEEDED.name(),
                        "answered on the stream, but not within " + timeout.toNanos() / 1e9 + " s")
                : questions.fault(answer);
    }

    /** A message that is not answered yet, and when it was sent. */
    private record Sent(long nanos, Completion completion) {}

    /** One stream. Its sent messages are guarded by the lock of its {@link StreamCaller}. */
    private final class Exchange extends ClientCall.Listener<A> {
        private final ClientCall<Q, A> call;
        private final Queue<Sent> unanswered = new ArrayDeque<>();

        Exchange(ClientCall<Q, A> call) {
            this.call = call;
        }

        void begin() {
            call.start(this, new Metadata());
            call.request(ANSWERS_AHEAD);
        }

        void send(Q message, Completion completion) {
            unanswered.add(new Sent(clock.nanos(), completion));
            call.sendMessage(message);
        }

        @Override
        public void onMessage(A answer) {
            Sent sent;
            synchronized (StreamCaller.this) {
                sent = unanswered.poll();
            }
            call.request(1);
            if (sent != null) {
                sent.completion().completed(fault(answer, sent.nanos()));
            } else {
                ended(this);
                call.cancel("the server sent more answers than it was sent messages", null);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            ended(this);
            List<Sent> left;
            synchronized (StreamCaller.this) {
                left = new ArrayList<>(unanswered);
                unanswered.clear();
            }
            Fault fault = status.isOk()
                    ? new Fault(Status.Code.INTERNAL.name(), "the server ended the stream")
                    : Fault.of(status, trailers);
            left.forEach(sent -> sent.completion().completed(fault));
        }
    }
}
