package io.evenkeel.client.remote;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.Revision;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts gRPC failures to the client's exceptions. */
final class GrpcFailures {
    /**
     * Netty's message for a refused connection. It ends with a socket file, or with an address after a slash and an
     * optional host name.
     */
    private static final Pattern REFUSED =
            Pattern.compile(".*Connection refused.*: (?:[^/ ]*/(?=[^/\\s]+:\\d))?(\\S+)");

    /**
     * gRPC's message at the deadline of a call that waited for a server: the status of the last connection as text,
     * followed by a stack trace.
     */
    private static final Pattern NEVER_READY = Pattern.compile(
            "Last Pick Failure=Status\\{code=\\w+, description=(.*?)(?:\\R.*?)?, cause=(.*)", Pattern.DOTALL);

    /** The domain of the reasons in {@link ErrorReason}. */
    private static final String DOMAIN = "evenkeel.io";

    private GrpcFailures() {}

    /** The failure for an exception of a stub. */
    static PlacementException of(StatusRuntimeException failed) {
        return of(failed.getStatus().withCause(failed), failed.getTrailers());
    }

    /**
     * The failure of a call, with the reason in its {@code google.rpc.ErrorInfo}, the violations in its
     * {@code google.rpc.BadRequest}, and the delay in its {@code google.rpc.RetryInfo}.
     */
    static PlacementException of(Status status, @Nullable Metadata trailers) {
        String description = status.getDescription();
        List<FieldViolation> violations = new ArrayList<>();
        Revision reached = null;
        Duration retryDelay = null;
        ErrorReason reason = ErrorReason.ERROR_REASON_UNSPECIFIED;
        for (Any detail : details(status, trailers)) {
            try {
                if (detail.is(BadRequest.class)) {
                    detail.unpack(BadRequest.class).getFieldViolationsList().stream()
                            .map(GrpcFailures::violation)
                            .forEach(violations::add);
                } else if (detail.is(Revision.class)) {
                    reached = detail.unpack(Revision.class);
                } else if (detail.is(RetryInfo.class)) {
                    com.google.protobuf.Duration delay =
                            detail.unpack(RetryInfo.class).getRetryDelay();
                    retryDelay = Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
                } else if (detail.is(ErrorInfo.class)) {
                    reason = reason(detail.unpack(ErrorInfo.class));
                }
            } catch (InvalidProtocolBufferException unreadable) {
                // Skip unreadable details, because the status has the main message.
            }
        }
        return new PlacementException(
                ErrorCode.of(status.getCode().value()),
                reason,
                withCause(description == null ? "the call failed" : description, status),
                violations,
                reached,
                retryDelay,
                status.getCause());
    }

    /**
     * The failure of a call whose deadline passed. If it was waiting for a server until then, the code is UNAVAILABLE.
     */
    static PlacementException ofWaiting(PlacementException failure) {
        Matcher neverReady = NEVER_READY.matcher(failure.description());
        if (!neverReady.find()) {
            return failure;
        }
        Matcher refused = REFUSED.matcher(neverReady.group(2));
        return new PlacementException(
                ErrorCode.UNAVAILABLE,
                "no server became ready before the deadline: "
                        + (refused.find() ? nobodyListens(refused) : neverReady.group(1)),
                failure);
    }

    private static String nobodyListens(Matcher refused) {
        return "connection refused by " + refused.group(1);
    }

    /** UNSPECIFIED if the reason is from another domain, or unknown to this client. */
    private static ErrorReason reason(ErrorInfo info) {
        EnumValueDescriptor known =
                info.getDomain().equals(DOMAIN) ? ErrorReason.getDescriptor().findValueByName(info.getReason()) : null;
        return known == null ? ErrorReason.ERROR_REASON_UNSPECIFIED : ErrorReason.valueOf(known);
    }

    /** Adds the cause to the description, because for connection errors gRPC says only {@code io exception}. */
    private static String withCause(String description, Status status) {
        if (status.getCode() != Status.Code.UNAVAILABLE) {
            return description;
        }
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            // Netty has no message for this.
            if (cause instanceof FileNotFoundException && cause.getMessage() == null) {
                return description + ": the socket file does not exist";
            }
            // gRPC's description already mentions an unknown host.
            if (cause instanceof IOException
                    && cause.getMessage() != null
                    && !(cause instanceof UnknownHostException)) {
                Matcher refused = REFUSED.matcher(cause.getMessage());
                return refused.matches() ? nobodyListens(refused) : description + ": " + cause.getMessage();
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
            // These details belong to a different status.
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
