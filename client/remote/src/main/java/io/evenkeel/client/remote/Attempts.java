package io.evenkeel.client.remote;

import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementException;
import io.grpc.Attributes;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records how the attempts of one call failed. gRPC retries a call by itself; where the deadline passes meanwhile, it
 * reports only the deadline. The failure of an earlier attempt says more, and so does why no connection was ready.
 *
 * <p>gRPC does not retry once an answer has begun, since it cannot know whether that is safe. A server sends the
 * headers of all answers that are ready before their messages, so that a connection that closes then cuts off several.
 */
final class Attempts extends ClientStreamTracer.Factory {
    private record Failed(Status status, @Nullable Metadata trailers) {}

    private final Runnable unavailable;
    private final Consumer<Attempts> waits;
    private volatile @Nullable Failed last;
    private volatile boolean waiting;
    private volatile boolean cutOff;

    /**
     * @param unavailable called when an attempt fails because its server is unavailable; must not block
     * @param waits called when an attempt begins to wait for a connection; must neither block nor touch the channel
     */
    Attempts(Runnable unavailable, Consumer<Attempts> waits) {
        this.unavailable = unavailable;
        this.waits = waits;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
        return new Attempt();
    }

    /**
     * The failure that the caller gets: that of an earlier attempt, where the call itself only exceeded its deadline.
     */
    PlacementException told(PlacementException failure) {
        if (failure.code() != ErrorCode.DEADLINE_EXCEEDED) {
            return failure;
        }
        Failed known = last;
        if (known == null) {
            return GrpcFailures.ofWaiting(failure);
        }
        String description = known.status.getDescription();
        return GrpcFailures.of(
                known.status
                        .withDescription((description == null ? "the call failed" : description)
                                + "; the deadline passed before another attempt was answered")
                        .withCause(failure),
                known.trailers);
    }

    /** Whether the last attempt waits for a connection. */
    boolean isWaiting() {
        return waiting;
    }

    /** Whether the last attempt lost its connection when its answer had begun. */
    boolean isCutOff() {
        return cutOff;
    }

    private final class Attempt extends ClientStreamTracer {
        private boolean begun;
        private @Nullable Metadata trailers;

        @Override
        public void createPendingStream() {
            waiting = true;
            waits.accept(Attempts.this);
        }

        @Override
        public void streamCreated(Attributes transport, Metadata headers) {
            waiting = false;
        }

        @Override
        public void inboundHeaders(Metadata headers) {
            begun = true;
        }

        @Override
        public void inboundTrailers(Metadata trailers) {
            this.trailers = trailers;
        }

        @Override
        public void streamClosed(Status status) {
            waiting = false;
            Status.Code code = status.getCode();
            if (code != Status.Code.OK && code != Status.Code.CANCELLED && code != Status.Code.DEADLINE_EXCEEDED) {
                last = new Failed(status, trailers);
            }
            cutOff = code == Status.Code.UNAVAILABLE && begun && trailers == null;
            if (code == Status.Code.UNAVAILABLE) {
                unavailable.run();
            }
        }
    }
}
