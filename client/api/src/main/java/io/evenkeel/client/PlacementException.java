package io.evenkeel.client;

import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Revision;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a call, or of one item of a batch. It is the same from a remote and an embedded client.
 *
 * <p>The reasons, and the code of each, are documented at {@link ErrorReason}. The client itself adds the codes
 * {@code DEADLINE_EXCEEDED}, {@code CANCELLED} (interrupted, cancelled or closed) and {@code UNAVAILABLE} (no
 * connection).
 *
 * <p>Serialised, it has neither its cause nor violations nor a revision.
 */
public final class PlacementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final ErrorReason reason;
    private final String description;
    private final transient List<FieldViolation> violations;
    private final transient @Nullable Revision reached;

    /**
     * For implementations of {@link Transport}.
     *
     * @param reason why, as the server says; ERROR_REASON_UNSPECIFIED where it does not
     * @param description the message for a person
     * @param violations the violated rules, where fields are at fault
     * @param reached the revision that the state has reached, where a later one was demanded
     */
    public PlacementException(
            ErrorCode code,
            ErrorReason reason,
            String description,
            List<FieldViolation> violations,
            @Nullable Revision reached,
            @Nullable Throwable cause) {
        super(code + ": " + description, cause);
        this.code = code;
        this.reason = reason == ErrorReason.UNRECOGNIZED ? ErrorReason.ERROR_REASON_UNSPECIFIED : reason;
        this.description = description;
        this.violations = List.copyOf(violations);
        this.reached = reached;
    }

    /** A failure that the client itself has found. */
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

    /** The failure of a call that threw {@code thrown}, or {@code thrown} itself where it is one. */
    static PlacementException of(Throwable thrown) {
        if (thrown instanceof PlacementException known) {
            return known;
        }
        return new PlacementException(ErrorCode.UNKNOWN, String.valueOf(thrown), thrown);
    }

    /** What is serialised: this without its cause, since those of gRPC cannot be. */
    private Object writeReplace() {
        PlacementException alone = new PlacementException(code, reason, description, List.of(), null, null);
        alone.setStackTrace(getStackTrace());
        return alone;
    }

    /** The same failure with the stack trace of the calling thread. */
    PlacementException asSeenByCaller() {
        return new PlacementException(code, reason, description, violations(), reached, this);
    }

    /** How the call or the item failed. */
    public ErrorCode code() {
        return code;
    }

    /**
     * Why the call or the item failed. ERROR_REASON_UNSPECIFIED where the server did not say, where it said a reason
     * that this client does not know, and where the client itself has found the failure: the code says most then.
     */
    public ErrorReason reason() {
        return reason;
    }

    /** The message, without the code. */
    public String description() {
        return description;
    }

    /** The revision that the state has reached, where the call demanded a later one or one of another instance. */
    public Optional<Revision> reached() {
        return Optional.ofNullable(reached);
    }

    /** The violated rules with their full field paths. Empty where no field is at fault, and after deserialisation. */
    public List<FieldViolation> violations() {
        return violations == null ? List.of() : violations;
    }
}
