package io.evenkeel.service;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.Revision;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Converts exceptions to gRPC statuses: with the reason in google.rpc.ErrorInfo, with google.rpc.BadRequest if fields
 * are invalid, with the current {@link Revision} if a later one was required, and with google.rpc.RetryInfo if it is
 * known when to call again.
 */
final class StatusErrors {
    private static final System.Logger LOG = System.getLogger(StatusErrors.class.getName());

    /** The domain of our reasons in google.rpc.ErrorInfo. */
    private static final String DOMAIN = "evenkeel.io";

    /** The metadata key in google.rpc.ErrorInfo for the kinds of objects that are not ready. */
    private static final String KINDS = "kinds";

    /**
     * Many gRPC clients accept 8 KiB of trailers, and fail the call with another status if there are more. The message
     * is in them twice, once with the details, which base64 makes a third longer.
     */
    private static final int MAX_MESSAGE_CHARACTERS = 1_500;

    private static final int MAX_VIOLATION_CHARACTERS = 2_000;
    private static final int MAX_CHARACTERS_PER_TEXT = 700;

    /** The metadata that says when gRPC clients should retry; -1 means never. */
    private static final Metadata.Key<String> RETRY_AFTER_MILLIS =
            Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

    private StatusErrors() {}

    /** The status for an exception of a call. Logs exceptions that are not the caller's fault. */
    static StatusRuntimeException of(Throwable error) {
        if (error instanceof RequestException refused) {
            return of(refused);
        }
        if (error instanceof StatusRuntimeException status) {
            return status;
        }
        LOG.log(System.Logger.Level.ERROR, "call failed with an internal error", error);
        return of(RequestException.of(ErrorReason.ERROR_REASON_SERVER_FAILED, "internal error: " + error));
    }

    /** Ends a call with the status for an exception. */
    static void close(ServerCall<?, ?> call, Throwable error) {
        StatusRuntimeException status = of(error);
        Metadata trailers = status.getTrailers();
        call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
    }

    private static StatusRuntimeException of(RequestException refused) {
        com.google.rpc.Status.Builder status = com.google.rpc.Status.newBuilder()
                .setCode(refused.code().number())
                .setMessage(TrailerText.shortened(refused.getMessage(), MAX_MESSAGE_CHARACTERS))
                .addDetails(Any.pack(info(refused)));
        if (!refused.violations().isEmpty()) {
            status.addDetails(Any.pack(badRequest(refused.violations())));
        }
        Revision reached = refused.reached();
        if (reached != null) {
            status.addDetails(Any.pack(reached));
        }
        Duration retryDelay = refused.retryDelay();
        if (retryDelay != null) {
            // Only as a detail: with grpc-retry-pushback-ms, some gRPC libraries would retry on their own, and each
            // refused call would become several.
            status.addDetails(Any.pack(RetryInfo.newBuilder()
                    .setRetryDelay(WireDurations.ofNanos(retryDelay.toNanos()))
                    .build()));
        }
        Metadata trailers = new Metadata();
        if (refused.reason() == ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME) {
            // The caller's deadline is near. A retry would only fail with DEADLINE_EXCEEDED, without the revision
            // reached.
            trailers.put(RETRY_AFTER_MILLIS, "-1");
        }
        return StatusProto.toStatusRuntimeException(status.build(), trailers);
    }

    /** As many violations as there is room for, at least one. The last one says how many more there were. */
    private static BadRequest badRequest(List<FieldViolation> violations) {
        BadRequest.Builder details = BadRequest.newBuilder();
        int bytes = 0;
        int included = 0;
        for (FieldViolation violation : violations) {
            BadRequest.FieldViolation one = BadRequest.FieldViolation.newBuilder()
                    .setField(TrailerText.shortened(violation.getField(), MAX_CHARACTERS_PER_TEXT))
                    .setDescription(TrailerText.shortened(violation.getDescription(), MAX_CHARACTERS_PER_TEXT))
                    .build();
            bytes += one.getSerializedSize();
            if (included > 0 && bytes > MAX_VIOLATION_CHARACTERS) {
                break;
            }
            details.addFieldViolations(one);
            included++;
        }
        int left = violations.size() - included;
        if (left > 0) {
            BadRequest.FieldViolation.Builder last = details.getFieldViolationsBuilder(included - 1);
            last.setDescription(last.getDescription() + " (and " + left + " more violations)");
        }
        return details.build();
    }

    private static ErrorInfo info(RequestException refused) {
        ErrorInfo.Builder info = ErrorInfo.newBuilder()
                .setDomain(DOMAIN)
                .setReason(refused.reason().name());
        if (!refused.kinds().isEmpty()) {
            info.putMetadata(
                    KINDS,
                    refused.kinds().stream()
                            .map(kind -> "OBJECT_KIND_" + kind.name())
                            .collect(Collectors.joining(",")));
        }
        return info.build();
    }
}
