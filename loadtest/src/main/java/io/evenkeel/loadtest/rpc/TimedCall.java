package io.evenkeel.loadtest.rpc;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.loadtest.load.Fault;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.util.Objects;

/** Makes calls one after another, waits for each answer, and times it. Not thread-safe. */
final class TimedCall<Q, A> implements AutoCloseable {
    /** Sends a request and waits for its response. */
    private interface Way<Q, A> {
        A answer(Q request) throws StatusException, InterruptedException;
    }

    private final LoadQuestions<Q, A> questions;
    private final Way<Q, A> way;
    private final Runnable end;
    private int next;

    private TimedCall(LoadQuestions<Q, A> questions, Way<Q, A> way, Runnable end) {
        this.questions = questions;
        this.way = way;
        this.end = end;
    }

    /** Makes unary calls, or sends messages on one stream that this opens, depending on the method of the questions. */
    static <Q, A> TimedCall<Q, A> of(Channel channel, LoadQuestions<Q, A> questions) {
        return questions.isStream() ? stream(channel, questions) : unary(channel, questions);
    }

    private static <Q, A> TimedCall<Q, A> unary(Channel channel, LoadQuestions<Q, A> questions) {
        return new TimedCall<>(
                questions,
                request -> ClientCalls.blockingV2UnaryCall(channel, questions.method(), CallOptions.DEFAULT, request),
                () -> {});
    }

    private static <Q, A> TimedCall<Q, A> stream(Channel channel, LoadQuestions<Q, A> questions) {
        BlockingClientCall<Q, A> call =
                ClientCalls.blockingBidiStreamingCall(channel, questions.method(), CallOptions.DEFAULT);
        return new TimedCall<>(
                questions,
                request -> {
                    call.write(request);
                    return Objects.requireNonNull(call.read(), "the server ended the stream");
                },
                () -> call.cancel("measured", null));
    }

    /**
     * Makes the next call.
     *
     * @return its duration in nanoseconds
     * @throws IOException if it fails, or a pod in it cannot be evaluated
     */
    long time() throws IOException, InterruptedException {
        Q request = questions.request(next++);
        long start = System.nanoTime();
        A answer = answer(request);
        long nanos = System.nanoTime() - start;
        Fault fault = questions.fault(answer);
        if (fault != null) {
            throw new CommandFailure(fault.kind() + ": " + fault.message());
        }
        return nanos;
    }

    /**
     * Makes a call with this request.
     *
     * @throws IOException if it fails
     */
    A answer(Q request) throws IOException, InterruptedException {
        try {
            return way.answer(request);
        } catch (StatusException failed) {
            throw new CommandFailure(String.valueOf(failed.getMessage()));
        }
    }

    @Override
    public void close() {
        end.run();
    }
}
