package io.evenkeel.placement.answer;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.call.TaskPool;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.placement.query.QueryReader;
import io.evenkeel.placement.query.StreamQuery;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateStreamResponse;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Answers the messages of EvaluateStream. A message that is rejected or times out is answered with the error, and the
 * stream continues. Thread-safe.
 */
public final class EvaluateStreamHandler extends Handler<StreamQuery, ResponseBytes> {
    private final Handler<PodQuery, ResponseBytes> evaluate;
    private final QueryReader reader;
    private final ScheduledExecutorService timer;

    /**
     * @param timer expires messages
     * @param sessions finds the handler of the same method in a session
     */
    public EvaluateStreamHandler(
            EngineAccess access,
            Handler<PodQuery, ResponseBytes> evaluate,
            QueryReader reader,
            ScheduledExecutorService timer,
            SessionLookup<EvaluateStreamHandler> sessions) {
        super(access, sessions);
        this.evaluate = evaluate;
        this.reader = reader;
        this.timer = timer;
    }

    @Override
    public StreamQuery read(byte[] request, StopSignal stop) throws InvalidProtocolBufferException {
        return reader.readStreamed(request, stop);
    }

    @Override
    public @Nullable StreamQuery readAtOnce(byte[] request) throws InvalidProtocolBufferException {
        return reader.readStreamedAtOnce(request);
    }

    /** Reads only the tag. */
    @Override
    public StreamQuery refuse(byte[] request, RequestException refusal) throws InvalidProtocolBufferException {
        return reader.refuseStreamed(request, refusal);
    }

    @Override
    public Prepared<ResponseBytes> prepare(StreamQuery message) {
        RequestException refusal = message.refusal();
        if (refusal != null) {
            throw refusal;
        }
        Prepared<ResponseBytes> prepared = evaluate.prepare(message.query());
        long tag = message.tag();
        return new Prepared<>() {
            @Override
            public boolean isShort() {
                return prepared.isShort();
            }

            @Override
            public ResponseBytes answer(StopSignal stop) {
                return prepared.answer(stop).intoStreamResponse(tag);
            }
        };
    }

    /**
     * Answers a message of a stream.
     *
     * @param refusal why there is no room for an answer of a given size; null if there is
     */
    public void handle(
            StreamQuery message, Call<ResponseBytes> stream, IntFunction<@Nullable RequestException> refusal) {
        MessageCall call = new MessageCall(message.tag(), message.timeout(), stream, refusal);
        try {
            WireDurations.requireValid(message.timeout(), "timeout");
        } catch (RequestException e) {
            call.fail(e);
            return;
        }
        handle(message, call);
    }

    /**
     * The call of one message. A task that has not started when the timeout passes is dropped, and the message is
     * answered. A task that has started continues and must check {@link #isStopped}.
     *
     * <pre>
     *   a task waits ──► taken by a thread of the pool ──► run
     *                └─► taken by the timer            ──► answered with TIMED_OUT
     * </pre>
     */
    private final class MessageCall implements Call<ResponseBytes>, TaskPool {
        private static final long NONE = Long.MAX_VALUE;

        private final long tag;
        private final Call<ResponseBytes> stream;
        private final IntFunction<@Nullable RequestException> refusal;
        private final long begin;
        private final long most;

        /** Does not refer to the message, which must not be retained while it waits. */
        MessageCall(
                long tag,
                com.google.protobuf.Duration timeout,
                Call<ResponseBytes> stream,
                IntFunction<@Nullable RequestException> refusal) {
            this.tag = tag;
            this.stream = stream;
            this.refusal = refusal;
            boolean unset = timeout.equals(com.google.protobuf.Duration.getDefaultInstance())
                    || !WireDurations.isValid(timeout);
            most = unset ? NONE : WireDurations.of(timeout).toNanos();
            begin = unset ? 0 : System.nanoTime();
        }

        private long left() {
            return Math.max(0, most - (System.nanoTime() - begin));
        }

        private boolean isExpired() {
            return most != NONE && left() == 0;
        }

        @Override
        public void answer(ResponseBytes answer) {
            RequestException refused = refusal.apply(answer.size());
            if (refused == null) {
                stream.answer(answer);
            } else {
                answer.release();
                fail(refused);
            }
        }

        @Override
        public void fail(Throwable why) {
            if (why instanceof RequestException refused) {
                stream.answer(refused(refused));
            } else if (why instanceof CancellationException && isExpired() && !stream.isStopped()) {
                stream.answer(refused(RequestException.of(
                        ErrorReason.ERROR_REASON_TIMED_OUT,
                        "the request's timeout passed before the answer was complete")));
            } else {
                stream.fail(why);
            }
        }

        private ResponseBytes refused(RequestException error) {
            return ResponseBytes.of(EvaluateStreamResponse.newBuilder()
                    .setTag(tag)
                    .setError(ItemErrors.of(error))
                    .build());
        }

        @Override
        public boolean isStopped() {
            return isExpired() || stream.isStopped();
        }

        @Override
        public void onStop(Runnable action) {
            stream.onStop(action);
        }

        @Override
        public Duration patience() {
            Duration patience = stream.patience();
            if (most == NONE) {
                return patience;
            }
            Duration left = Duration.ofNanos(left());
            return left.compareTo(patience) < 0 ? left : patience;
        }

        @Override
        public Object identity() {
            return stream.identity();
        }

        @Override
        public TaskPool pool() {
            return most == NONE ? stream.pool() : this;
        }

        @Override
        public void execute(Runnable task, Consumer<Throwable> refused) {
            Waiting waiting = new Waiting(task);
            stream.pool().execute(waiting, waiting.unlessTaken(refused));
        }

        @Override
        public void later(Object caller, int bytes, Runnable task, Consumer<Throwable> refused) {
            Waiting waiting = new Waiting(task);
            stream.pool().later(caller, bytes, waiting, waiting.unlessTaken(refused));
        }

        @Override
        public Object caller() {
            return stream.pool().caller();
        }

        @Override
        public int waitingBytes(int bytes) {
            return stream.pool().waitingBytes(bytes);
        }

        /**
         * A task until it is taken. Afterwards, the entry left in the pool's queue no longer references the request.
         */
        private final class Waiting implements Runnable {
            private final AtomicReference<@Nullable Runnable> task;
            private final @Nullable ScheduledFuture<?> timeout;

            Waiting(Runnable task) {
                this.task = new AtomicReference<>(task);
                timeout = schedule();
            }

            private @Nullable ScheduledFuture<?> schedule() {
                try {
                    return timer.schedule(this::expire, left(), TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException e) {
                    // The instance is closing: the task either runs or is rejected.
                    return null;
                }
            }

            private @Nullable Runnable take() {
                if (timeout != null) {
                    timeout.cancel(false);
                }
                return task.getAndSet(null);
            }

            @Override
            public void run() {
                Runnable taken = take();
                if (taken != null) {
                    taken.run();
                }
            }

            private void expire() {
                if (task.getAndSet(null) != null) {
                    fail(new CancellationException("the request's timeout passed before work on it started"));
                }
            }

            Consumer<Throwable> unlessTaken(Consumer<Throwable> refused) {
                return why -> {
                    if (take() != null) {
                        refused.accept(why);
                    }
                };
            }
        }
    }
}
