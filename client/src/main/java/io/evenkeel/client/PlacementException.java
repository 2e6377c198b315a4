package io.evenkeel.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Revision;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong with a call, or with one item of a batch; the same from a remote and an embedded client.
 *
 * <p>The codes of calls are documented at the services of the protocol. Of this side's own making are {@code DEADLINE_EXCEEDED}, {@code CANCELLED} (interrupted, cancelled or
 * closed) and {@code UNAVAILABLE} (no connection).
 */
public final class PlacementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What Netty says of it; the address is behind a slash, and before that the host's name where there is one. */
    private static final Pattern REFUSED = Pattern.compile(".*Connection refused.*: [^/ ]*/(\\S+)");

    private final Status.Code code;
    private final String description;
    private final transient List<FieldViolation> violations;
    private final transient @Nullable Revision reached;

    /**
     * For those who bring another {@link Transport}.
     *
     * @param description for a person
     * @param violations each violated rule, where fields are at fault
     * @param reached the revision reached, where a later one was demanded
     */
    public PlacementException(
            Status.Code code,
            String description,
            List<FieldViolation> violations,
            @Nullable Revision reached,
            @Nullable Throwable cause) {
        super(code + ": " + description, cause);
        this.code = code;
        this.description = description;
        this.violations = List.copyOf(violations);
        this.reached = reached;
    }

    /** One of this side's own making. */
    public PlacementException(Status.Code code, String description, @Nullable Throwable cause) {
        this(code, description, List.of(), null, cause);
    }

    PlacementException(Status.Code code, String description) {
        this(code, description, null);
    }

    /** What is wrong with one item of a batch. */
    public static PlacementException of(ItemError error) {
        return new PlacementException(
                Status.fromCodeValue(error.getCode()).getCode(),
                error.getMessage(),
                error.getViolationsList(),
                null,
                null);
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
                            .map(PlacementException::violation)
                            .forEach(violations::add);
                } else if (detail.is(Revision.class)) {
                    reached = detail.unpack(Revision.class);
                }
            } catch (InvalidProtocolBufferException unreadable) {
                // The status says the essential.
            }
        }
        return new PlacementException(
                status.getCode(),
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
        return new PlacementException(Status.Code.UNKNOWN, String.valueOf(thrown), thrown);
    }

    /** The same, with this thread's stack. */
    PlacementException asSeenByCaller() {
        return new PlacementException(code, description, violations(), reached, this);
    }

    /** The gRPC code. */
    public Status.Code code() {
        return code;
    }

    /** The message without the code. */
    public String description() {
        return description;
    }

    /** The revision that the state has reached, where the call demanded a later one or another instance's. */
    public Optional<Revision> reached() {
        return Optional.ofNullable(reached);
    }

    /** Each violated rule with its full field path; empty where no field is at fault, and after deserialisation. */
    public List<FieldViolation> violations() {
        return violations == null ? List.of() : violations;
    }
}
