package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.load.DirectChannel;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A {@code Sync} stream that sends encoded messages. Up to {@link #AHEAD} of them are unacknowledged at a time. Not
 * thread-safe.
 */
final class SyncFeed implements AutoCloseable {
    private static final int AHEAD = 4;
    private static final MethodDescriptor<EncodedRequest, SyncResponse> METHOD =
            EncodedRequest.sentBy(ClusterStateGrpc.getSyncMethod());

    private final DirectChannel channel;
    private final ClientCall<EncodedRequest, SyncResponse> call;
    private final Semaphore room = new Semaphore(AHEAD);
    private final AtomicReference<@Nullable Status> ended = new AtomicReference<>();
    private final AtomicReference<@Nullable Refusal> refused = new AtomicReference<>();
    private final AtomicLong changesApplied = new AtomicLong();
    private long changesSent;

    SyncFeed(String target) {
        channel = new DirectChannel(target);
        call = channel.channel().newCall(METHOD, CallOptions.DEFAULT);
        call.start(new Acknowledgements(), new Metadata());
        call.request(AHEAD);
    }

    /**
     * Sends a message. Blocks while too many messages are unacknowledged.
     *
     * @throws IOException if the stream has ended, or an object was rejected
     */
    void send(SyncMessage message) throws IOException, InterruptedException {
        room.acquire();
        requireWell();
        changesSent += message.changes();
        call.sendMessage(message.request());
    }

    /**
     * Sends messages, each as above.
     *
     * @throws IOException as above
     */
    void send(List<SyncMessage> messages) throws IOException, InterruptedException {
        for (SyncMessage message : messages) {
            send(message);
        }
    }

    /**
     * Waits until everything is acknowledged.
     *
     * @throws IOException if the stream has ended, an object was rejected, or an object changed nothing
     */
    void await() throws IOException, InterruptedException {
        room.acquire(AHEAD);
        room.release(AHEAD);
        requireWell();
        long applied = changesApplied.get();
        if (applied != changesSent) {
            throw new IOException(
                    "all %,d objects that were sent must change something, %,d did".formatted(changesSent, applied));
        }
    }

    private void requireWell() throws IOException {
        Refusal first = refused.get();
        if (first != null) {
            throw new IOException(
                    first.getObject() + " was rejected: " + first.getError().getMessage());
        }
        Status status = ended.get();
        if (status != null) {
            throw new IOException("the stream ended: " + status);
        }
    }

    @Override
    public void close() {
        call.cancel("measured", null);
        channel.close();
    }

    private final class Acknowledgements extends ClientCall.Listener<SyncResponse> {
        @Override
        public void onMessage(SyncResponse response) {
            if (response.getRefusalsCount() > 0) {
                refused.compareAndSet(null, response.getRefusals(0));
            }
            changesApplied.addAndGet(response.getAppliedCount());
            // Must be last, because it makes the writes above visible to the sending thread.
            room.release();
            call.request(1);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            ended.set(status);
            // Wakes a thread that waits for acknowledgements that will never arrive.
            room.release(AHEAD);
        }
    }
}
