package io.evenkeel.attack;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes many calls at the same time, and records how each of them ended. */
final class CallResults {
    private static final long PATIENCE_MILLIS = TimeUnit.MINUTES.toMillis(3);

    private final Map<Status.Code, Integer> ends = new EnumMap<>(Status.Code.class);
    private final List<ClientCall<?, ?>> calls = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger open = new AtomicInteger();
    private String refusal = "";

    /** Makes a call without waiting for it. */
    <Q, A> void call(Channel channel, MethodDescriptor<Q, A> method, Q request, CallOptions options) {
        open.incrementAndGet();
        ClientCall<Q, A> call = channel.newCall(method, options);
        calls.add(call);
        ClientCalls.asyncUnaryCall(call, request, new StreamObserver<>() {
            @Override
            public void onNext(A answer) {
                // Only the status matters.
            }

            @Override
            public void onError(Throwable error) {
                ended(Status.fromThrowable(error));
            }

            @Override
            public void onCompleted() {
                ended(Status.OK);
            }
        });
    }

    private synchronized void ended(Status status) {
        ends.merge(status.getCode(), 1, Integer::sum);
        if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
            refusal = String.valueOf(status.getDescription());
        }
        open.decrementAndGet();
        notifyAll();
    }

    void cancel() {
        List.copyOf(calls).forEach(call -> call.cancel("changed my mind", null));
    }

    int open() {
        return open.get();
    }

    /** Waits until at most {@code maxOpen} calls are open. Returns how many ended with each code. */
    synchronized Map<Status.Code, Integer> await(int maxOpen) throws InterruptedException {
        long end = System.currentTimeMillis() + PATIENCE_MILLIS;
        while (open.get() > maxOpen) {
            long left = end - System.currentTimeMillis();
            if (left <= 0) {
                throw new AssertionError(open.get() + " calls are still open, others ended so: " + ends);
            }
            wait(left);
        }
        return new EnumMap<>(ends);
    }

    /** The error message of one of the rejected calls. */
    synchronized String refusal() {
        return refusal;
    }
}
