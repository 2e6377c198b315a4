package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.load.DirectChannel;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.SyncResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One stream of {@code Sync} that sends messages as the bytes that they are, a few ahead of their acknowledgements. Not safe for use by several threads. */
final class SyncFeed implements AutoCloseable {
    private static final int AHEAD = 4;
    private static final MethodDescriptor<byte[], SyncResponse> METHOD = method(ClusterStateGrpc.getSyncMethod());

    private final DirectChannel channel;
    private final ClientCall<byte[], SyncResponse> call;
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
    void send(byte[] message) throws InterruptedException {
        room.acquire();
        Status status = ended.get();
        if (status != null || refused > 0) {
            throw new IllegalStateException(
                    status == null ? refused + " objects were refused" : "the stream ended: " + status);
        }
        call.sendMessage(message);
    }

    void send(List<byte[]> messages) throws InterruptedException {
        for (byte[] message : messages) {
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

    private static MethodDescriptor<byte[], SyncResponse> method(MethodDescriptor<?, SyncResponse> generated) {
        return generated.toBuilder(new Bytes(), generated.getResponseMarshaller())
                .build();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new Known(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            throw new UnsupportedOperationException("requests are only written");
        }
    }

    /** Its length is known, so that it is sent without being gathered first. */
    private static final class Known extends ByteArrayInputStream implements KnownLength {
        Known(byte[] bytes) {
            super(bytes);
        }
    }
}
