package io.evenkeel.client.remote;

import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementException;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Records how the attempts of one call failed. gRPC retries a call by itself; where the deadline passes meanwhile, it
 * reports only the deadline. The failure of an earlier attempt says more.
 *
 * <p>gRPC does not retry once an answer has begun, since it cannot know whether that is safe. A server sends the
 * headers of all answers that are ready before their messages, so that a connection that closes then cuts off several.
 */
final class Attempts extends ClientStreamTracer.Factory {
    private record Failed(Status status, @Nullable Metadata trailers) {}

    private final Runnable unavailable;
    private volatile @Nullable Failed last;
    private volatile boolean cutOff;

    /** @param unavailable called when an attempt fails because its server is unavailable; must not block */
    Attempts(Runnable unavailable) {
        this.unavailable = unavailable;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
        return new Attempt();
    }

    /**
     * The failure that the caller gets: that of an earlier attempt, where the call itself only exceeded its deadline.
     */
    PlacementException told(PlacementException failure) {
        Failed known = last;
        if (known == null || failure.code() != ErrorCode.DEADLINE_EXCEEDED) {
            return failure;
        }
        String description = known.status.getDescription();
        return GrpcFailures.of(
                known.status
                        .withDescription((description == null ? "the call failed" : description)
                                + "; the deadline passed before another attempt was answered")
                        .withCause(failure),
                known.trailers);
    }

    /** Whether the last attempt lost its connection when its answer had begun. */
    boolean isCutOff() {
        return cutOff;
    }

    private final class Attempt extends ClientStreamTracer {
        private boolean begun;
        private @Nullable Metadata trailers;

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
