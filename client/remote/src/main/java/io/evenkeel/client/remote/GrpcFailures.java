package io.evenkeel.client.remote;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.Revision;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What gRPC says of a call that failed, as a client tells it. */
public final class GrpcFailures {
    /** What Netty says of it; the address is behind a slash, and before that the host's name where there is one. */
    private static final Pattern REFUSED = Pattern.compile(".*Connection refused.*: [^/ ]*/(\\S+)");

    private GrpcFailures() {}

    /** What a stub threw. */
    static PlacementException of(StatusRuntimeException failed) {
        return of(failed.getStatus().withCause(failed), failed.getTrailers());
    }

    /** What gRPC said of a call, its {@code google.rpc.BadRequest} included. */
    public static PlacementException of(Status status, @Nullable Metadata trailers) {
        String description = status.getDescription();
        List<FieldViolation> violations = new ArrayList<>();
        Revision reached = null;
        for (Any detail : details(status, trailers)) {
            try {
                if (detail.is(BadRequest.class)) {
                    detail.unpack(BadRequest.class).getFieldViolationsList().stream()
                            .map(GrpcFailures::violation)
                            .forEach(violations::add);
                } else if (detail.is(Revision.class)) {
                    reached = detail.unpack(Revision.class);
                }
            } catch (InvalidProtocolBufferException unreadable) {
                // The status says the essential.
            }
        }
        return new PlacementException(
                PlacementException.codeOf(status.getCode().value()),
                withReason(description == null ? "the call failed" : description, status),
                violations,
                reached,
                status.getCause());
    }

    /** Adds the cause: where there is no connection gRPC says no more than {@code io exception}. */
    private static String withReason(String description, Status status) {
        if (status.getCode() != Status.Code.UNAVAILABLE) {
            return description;
        }
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            // Of a host that is not known gRPC says so itself.
            if (cause instanceof IOException
                    && cause.getMessage() != null
                    && !(cause instanceof UnknownHostException)) {
                Matcher refused = REFUSED.matcher(cause.getMessage());
                return refused.matches()
                        ? "nobody listens at " + refused.group(1) + " (connection refused)"
                        : description + ": " + cause.getMessage();
            }
        }
        return description;
    }

    private static List<Any> details(Status status, @Nullable Metadata trailers) {
        try {
            return trailers == null
                    ? List.of()
                    : StatusProto.fromStatusAndTrailers(status, trailers).getDetailsList();
        } catch (IllegalArgumentException unlike) {
            // Details that belong to another status than the one that came.
            return List.of();
        }
    }

    private static FieldViolation violation(BadRequest.FieldViolation violation) {
        return FieldViolation.newBuilder()
                .setField(violation.getField())
                .setDescription(violation.getDescription())
                .build();
    }
}
