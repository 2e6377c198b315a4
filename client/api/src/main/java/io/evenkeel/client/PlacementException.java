package io.evenkeel.client;

import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Revision;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a call or of one item of a batch. Remote and embedded clients throw the same failures.
 *
 * <p>{@link ErrorReason} documents the reasons and their codes. The client itself adds the codes
 * {@code DEADLINE_EXCEEDED}, {@code CANCELLED} (interrupted, cancelled or closed) and {@code UNAVAILABLE} (no
 * connection).
 *
 * <p>Serialisation drops the cause, the violations, the revision and the delay.
 */
public final class PlacementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final ErrorReason reason;
    private final String description;
    private final transient List<FieldViolation> violations;
    private final transient @Nullable Revision reached;
    private final transient @Nullable Duration retryDelay;

    /**
     * For implementations of {@link Transport}.
     *
     * @param reason the server's reason; ERROR_REASON_UNSPECIFIED if it gave none
     * @param description the human-readable message
     * @param violations the violated rules, if fields are invalid
     * @param reached the revision that the state has reached, if a later one was required
     * @param retryDelay when to call again, if the server knows that
     */
    public PlacementException(
            ErrorCode code,
            ErrorReason reason,
            String description,
            List<FieldViolation> violations,
            @Nullable Revision reached,
            @Nullable Duration retryDelay,
            @Nullable Throwable cause) {
        super(code + ": " + description, cause);
        this.code = code;
        this.reason = reason == ErrorReason.UNRECOGNIZED ? ErrorReason.ERROR_REASON_UNSPECIFIED : reason;
        this.description = description;
        this.violations = List.copyOf(violations);
        this.reached = reached;
        this.retryDelay = retryDelay;
    }

    /** For implementations of {@link Transport}, if it is not known when to call again. */
    public PlacementException(
            ErrorCode code,
            ErrorReason reason,
            String description,
            List<FieldViolation> violations,
            @Nullable Revision reached,
            @Nullable Throwable cause) {
        this(code, reason, description, violations, reached, null, cause);
    }

    /** A failure that the client itself detected. */
    public PlacementException(ErrorCode code, String description, @Nullable Throwable cause) {
        this(code, ErrorReason.ERROR_REASON_UNSPECIFIED, description, List.of(), null, cause);
    }

    PlacementException(ErrorCode code, String description) {
        this(code, description, null);
    }

    /** The failure of one item of a batch. */
    public static PlacementException of(ItemError error) {
        return new PlacementException(
                ErrorCode.of(error.getCode()),
                error.getReason(),
                error.getMessage(),
                error.getViolationsList(),
                null,
                null);
    }

    /** The failure of a call that threw {@code thrown}, or {@code thrown} itself if it is a PlacementException. */
    static PlacementException of(Throwable thrown) {
        if (thrown instanceof PlacementException known) {
            return known;
        }
        return new PlacementException(ErrorCode.UNKNOWN, String.valueOf(thrown), thrown);
    }

    /** Serialises a copy without the cause, because gRPC's exceptions are not fully serialisable. */
    private Object writeReplace() {
        PlacementException alone = new PlacementException(code, reason, description, List.of(), null, null);
        alone.setStackTrace(getStackTrace());
        return alone;
    }

    /** A copy with the stack trace of the calling thread. */
    PlacementException asSeenByCaller() {
        return new PlacementException(code, reason, description, violations(), reached, retryDelay, this);
    }

    /** How the call or the item failed. */
    public ErrorCode code() {
        return code;
    }

    /**
     * Why the call or the item failed. ERROR_REASON_UNSPECIFIED if the server gave no reason or one that this client
     * does not know, or if the client itself detected the failure; use the code then.
     */
    public ErrorReason reason() {
        return reason;
    }

    /** The message, without the code. */
    public String description() {
        return description;
    }

    /** The revision that the state has reached, if the call required a later one or one of another instance. */
    public Optional<Revision> reached() {
        return Optional.ofNullable(reached);
    }

    /** When to call again, if the server is overloaded and knows that. Add some jitter if there are many callers. */
    public Optional<Duration> retryDelay() {
        return Optional.ofNullable(retryDelay);
    }

    /** The violated rules with their full field paths. Empty if no field is invalid, and after deserialisation. */
    public List<FieldViolation> violations() {
        return violations == null ? List.of() : violations;
    }
}
