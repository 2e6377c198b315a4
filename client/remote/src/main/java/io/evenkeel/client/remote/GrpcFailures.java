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

/** Turns failures of gRPC into exceptions of the client. */
public final class GrpcFailures {
    /**
     * Netty's message for a refused connection. The address stands after a slash; before it stands the host's name,
     * where there is one.
     */
    private static final Pattern REFUSED = Pattern.compile(".*Connection refused.*: [^/ ]*/(\\S+)");

    private GrpcFailures() {}

    /** The failure that a stub threw. */
    static PlacementException of(StatusRuntimeException failed) {
        return of(failed.getStatus().withCause(failed), failed.getTrailers());
    }

    /** The failure of a call, with the violations in its {@code google.rpc.BadRequest}. */
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
                // Unreadable details are left out: the status has the main message.
            }
        }
        return new PlacementException(
                PlacementException.codeOf(status.getCode().value()),
                withReason(description == null ? "the call failed" : description, status),
                violations,
                reached,
                status.getCause());
    }

    /** Adds the cause to the description: without a connection, gRPC says only {@code io exception}. */
    private static String withReason(String description, Status status) {
        if (status.getCode() != Status.Code.UNAVAILABLE) {
            return description;
        }
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            // An unknown host is in gRPC's own description.
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
            // These details belong to another status than the one received.
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
