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
 * Records how the attempts of one call failed. gRPC retries calls itself, and if the deadline passes meanwhile, it
 * reports only the deadline. The failure of an earlier attempt, or the reason why no connection was ready, says more.
 *
 * <p>gRPC does not retry once a response has begun, because it cannot know whether that is safe. A server sends the
 * headers of all ready responses before their messages, so a connection that closes in between cuts off several.
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
     * The failure to report to the caller: that of an earlier attempt if the call itself only exceeded its deadline.
     */
    PlacementException describe(PlacementException failure) {
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
                                + "; the deadline passed before a retry was answered")
                        .withCause(failure),
                known.trailers);
    }

    /** Whether the last attempt is waiting for a connection. */
    boolean isWaiting() {
        return waiting;
    }

    /** Whether the last attempt lost its connection after its response had begun. */
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
