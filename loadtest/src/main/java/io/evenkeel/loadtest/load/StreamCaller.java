package io.evenkeel.loadtest.load;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls as messages of one stream, each answered by one message in the same order. A stream that broke is opened
 * anew by the next call. An answer that comes later than it may has failed; it is waited for all the same, since those
 * to later messages come after it. Safe for use by several threads.
 */
final class StreamCaller<Q, A> implements Caller {
    /** Answers to what was sent are bounded by the callers; this only saves asking for each one alone. */
    private static final int ANSWERS_AHEAD = 256;

    private final Channel channel;
    private final MethodDescriptor<Q, A> method;
    private final Questions<Q, A> questions;
    private final Duration timeout;
    private final Clock clock;
    private int next;
    private @Nullable Exchange exchange;

    /**
     * @param questions of a kind that can be asked on a stream
     * @param timeout what an answer may take, from when its message was sent
     */
    StreamCaller(Channel channel, Questions<Q, A> questions, Duration timeout, Clock clock) {
        this.channel = channel;
        this.questions = questions;
        this.timeout = timeout;
        this.clock = clock;
        this.method = Objects.requireNonNull(questions.stream(), "a call without a stream");
    }

    @Override
    public synchronized void call(Completion completion) {
        Exchange open = exchange;
        if (open == null) {
            open = new Exchange(channel.newCall(method, CallOptions.DEFAULT));
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
            open.call.cancel("the load is over", null);
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
                        "answered on the stream, but later than within " + timeout.toNanos() / 1e9 + " s")
                : questions.fault(answer);
    }

    /** A message that is not answered, and when it was sent. */
    private record Sent(long nanos, Completion completion) {}

    /** One stream, from its start to its end. What was sent on it is guarded by the caller that it belongs to. */
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
                call.cancel("more answers than questions", null);
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
                    : Fault.of(status);
            left.forEach(sent -> sent.completion().completed(fault));
        }
    }
}
