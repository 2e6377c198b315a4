package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.load.DirectChannel;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.SyncResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One stream of {@code Sync} that sends messages as the bytes that they are, a few ahead of their acknowledgements. Not safe for use by several threads. */
final class SyncFeed implements AutoCloseable {
    private static final int AHEAD = 4;
    private static final MethodDescriptor<EncodedRequest, SyncResponse> METHOD =
            EncodedRequest.sentBy(ClusterStateGrpc.getSyncMethod());

    private final DirectChannel channel;
    private final ClientCall<EncodedRequest, SyncResponse> call;
    private final Semaphore room = new Semaphore(AHEAD);
    private final AtomicReference<@Nullable Status> ended = new AtomicReference<>();
    private volatile int refused;

    SyncFeed(String target) {
        channel = new DirectChannel(target);
        call = channel.channel().newCall(METHOD, CallOptions.DEFAULT);
        call.start(new Acknowledgements(), new Metadata());
        call.request(AHEAD);
    }

    /** Sends a message as soon as there is room. */
    void send(EncodedRequest message) throws InterruptedException {
        room.acquire();
        Status status = ended.get();
        if (status != null || refused > 0) {
            throw new IllegalStateException(
                    status == null ? refused + " objects were refused" : "the stream ended: " + status);
        }
        call.sendMessage(message);
    }

    void send(List<EncodedRequest> messages) throws InterruptedException {
        for (EncodedRequest message : messages) {
            send(message);
        }
    }

    /** Waits until everything is acknowledged. */
    void await() throws InterruptedException {
        room.acquire(AHEAD);
        room.release(AHEAD);
    }

    @Override
    public void close() {
        call.cancel("measured", null);
        channel.close();
    }

    private final class Acknowledgements extends ClientCall.Listener<SyncResponse> {
        @Override
        public void onMessage(SyncResponse response) {
            refused = response.getRefusalsCount();
            room.release();
            call.request(1);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            ended.set(status);
            room.release(AHEAD);
        }
    }
}
