package io.evenkeel.loadtest.load;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes unary calls. Thread-safe. */
final class UnaryCaller<Q, A> implements LoadCaller {
    private final Channel channel;
    private final LoadQuestions<Q, A> questions;
    private final Duration timeout;
    private final AtomicInteger next = new AtomicInteger();
    private final Set<ClientCall<Q, A>> inProgress = ConcurrentHashMap.newKeySet();

    /**
     * @param questions questions of a unary method
     * @param timeout the deadline of each call, from its start
     */
    UnaryCaller(Channel channel, LoadQuestions<Q, A> questions, Duration timeout) {
        this.channel = channel;
        this.questions = questions;
        this.timeout = timeout;
    }

    @Override
    public void call(Completion completion) {
        ClientCall<Q, A> call = channel.newCall(questions.method(), CallOptions.DEFAULT.withDeadlineAfter(timeout));
        inProgress.add(call);
        call.start(new Listener(call, completion), new Metadata());
        call.request(2);
        call.sendMessage(questions.request(next.getAndIncrement()));
        call.halfClose();
    }

    @Override
    public void close() {
        inProgress.forEach(call -> call.cancel("the load run is over", null));
    }

    private final class Listener extends ClientCall.Listener<A> {
        private final ClientCall<Q, A> call;
        private final Completion completion;
        private @Nullable A answer;

        Listener(ClientCall<Q, A> call, Completion completion) {
            this.call = call;
            this.completion = completion;
        }

        @Override
        public void onMessage(A message) {
            answer = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            inProgress.remove(call);
            A answered = answer;
            if (!status.isOk()) {
                completion.completed(Fault.of(status, trailers));
            } else if (answered == null) {
                completion.completed(new Fault(Status.Code.INTERNAL.name(), "the call ended without an answer"));
            } else {
                completion.completed(questions.fault(answered));
            }
        }
    }
}
