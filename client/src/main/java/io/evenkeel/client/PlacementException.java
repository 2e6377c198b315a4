package io.evenkeel.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ItemError;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong with a call, or with one item of a batch; the same from a remote and an embedded client.
 *
 * <p>The codes of calls are documented at the services of the protocol. Of this side's own making are {@code DEADLINE_EXCEEDED}, {@code CANCELLED} (interrupted, cancelled or
 * closed) and {@code UNAVAILABLE} (no connection).
 */
public final class PlacementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Status.Code code;
    private final String description;
    private final transient List<FieldViolation> violations;

    /**
     * @param description for a person
     * @param violations each violated rule, where the code is {@code INVALID_ARGUMENT}
     */
    public PlacementException(
            Status.Code code, String description, List<FieldViolation> violations, @Nullable Throwable cause) {
        super(code + ": " + description, cause);
        this.code = code;
        this.description = description;
        this.violations = List.copyOf(violations);
    }

    PlacementException(Status.Code code, String description) {
        this(code, description, List.of(), null);
    }

    /** What is wrong with one item of a batch. */
    public static PlacementException of(ItemError error) {
        return new PlacementException(
                Status.fromCodeValue(error.getCode()).getCode(), error.getMessage(), error.getViolationsList(), null);
    }

    /** What gRPC said of a call, its {@code google.rpc.BadRequest} included. */
    public static PlacementException of(Status status, @Nullable Metadata trailers) {
        String description = status.getDescription();
        return new PlacementException(
                status.getCode(),
                description == null ? "the call failed" : description,
                violations(status, trailers),
                status.getCause());
    }

    /** What a stub or a handler threw, or itself. */
    static PlacementException of(Throwable thrown) {
        if (thrown instanceof PlacementException known) {
            return known;
        }
        if (thrown instanceof StatusRuntimeException failed) {
            return of(failed.getStatus().withCause(failed), failed.getTrailers());
        }
        if (thrown instanceof StatusException failed) {
            return of(failed.getStatus().withCause(failed), failed.getTrailers());
        }
        return new PlacementException(Status.Code.UNKNOWN, String.valueOf(thrown), List.of(), thrown);
    }

    /** The same, with this thread's stack. */
    PlacementException asSeenByCaller() {
        return new PlacementException(code, description, violations(), this);
    }

    private static List<FieldViolation> violations(Status status, @Nullable Metadata trailers) {
        if (trailers == null) {
            return List.of();
        }
        List<FieldViolation> found = new ArrayList<>();
        try {
            for (Any detail :
                    StatusProto.fromStatusAndTrailers(status, trailers).getDetailsList()) {
                if (detail.is(BadRequest.class)) {
                    for (BadRequest.FieldViolation violation :
                            detail.unpack(BadRequest.class).getFieldViolationsList()) {
                        found.add(FieldViolation.newBuilder()
                                .setField(violation.getField())
                                .setDescription(violation.getDescription())
                                .build());
                    }
                }
            }
        } catch (InvalidProtocolBufferException | IllegalArgumentException unreadable) {
            // Details that do not fit the status or do not parse say no more than the status does.
            return List.of();
        }
        return found;
    }

    /** The gRPC code. */
    public Status.Code code() {
        return code;
    }

    /** The message without the code. */
    public String description() {
        return description;
    }

    /** Each violated rule with its full field path; empty unless the code is {@code INVALID_ARGUMENT}, and after deserialisation. */
    public List<FieldViolation> violations() {
        return violations == null ? List.of() : violations;
    }
}
