package io.evenkeel.loadtest.load;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ItemError;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.List;

/**
 * Why a call failed.
 *
 * @param status the name of the gRPC status code; {@code item: } and the code of a pod that could not be evaluated; or
 *     {@code not made}
 * @param reason the {@link ErrorReason} without its prefix; empty if the server gave none
 * @param message the human-readable message
 */
public record Fault(String status, String reason, String message) {
    private static final String DOMAIN = "evenkeel.io";
    private static final String PREFIX = "ERROR_REASON_";

    /** A fault that the caller itself detected. */
    public Fault(String status, String message) {
        this(status, "", message);
    }

    static Fault of(Status status, Metadata trailers) {
        String description = status.getDescription();
        Throwable cause = status.getCause();
        return new Fault(
                status.getCode().name(),
                reason(status, trailers),
                description == null
                        ? String.valueOf(cause)
                        : cause == null ? description : description + ": " + cause.getMessage());
    }

    /** The fault of one item of a call. Its status is {@code where}, followed by the error code. */
    public static Fault of(String where, ItemError error) {
        String reason = error.getReason() == ErrorReason.UNRECOGNIZED
                ? String.valueOf(error.getReasonValue())
                : error.getReason().name();
        return new Fault(
                where + Status.fromCodeValue(error.getCode()).getCode().name(),
                withoutPrefix(reason),
                error.getMessage());
    }

    /** The reason in the call's {@code google.rpc.ErrorInfo}, even if this program does not know it. */
    private static String reason(Status status, Metadata trailers) {
        try {
            for (Any detail : details(status, trailers)) {
                if (detail.is(ErrorInfo.class)) {
                    ErrorInfo info = detail.unpack(ErrorInfo.class);
                    return info.getDomain().equals(DOMAIN) ? withoutPrefix(info.getReason()) : "";
                }
            }
        } catch (InvalidProtocolBufferException unreadable) {
            // The status has the main message.
        }
        return "";
    }

    private static List<Any> details(Status status, Metadata trailers) {
        try {
            return StatusProto.fromStatusAndTrailers(status, trailers).getDetailsList();
        } catch (IllegalArgumentException unlike) {
            // These details do not belong to the received status.
            return List.of();
        }
    }

    private static String withoutPrefix(String reason) {
        String word = reason.startsWith(PREFIX) ? reason.substring(PREFIX.length()) : reason;
        return word.equals("UNSPECIFIED") ? "" : word;
    }

    /** The status, and the reason if there is one. */
    public String kind() {
        return kind(status, reason);
    }

    static String kind(String status, String reason) {
        return reason.isEmpty() ? status : status + " " + reason;
    }
}
