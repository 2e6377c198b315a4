package io.evenkeel.placement.call;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Violations;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.Revision;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rejects a whole request. No part of it was done unless the message says otherwise. */
public final class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorReason reason;
    private final transient List<FieldViolation> violations;
    private final transient @Nullable Revision reached;
    private final transient Set<ObjectKind> kinds;
    private final transient @Nullable Duration retryDelay;

    private RequestException(
            ErrorReason reason,
            String message,
            List<FieldViolation> violations,
            @Nullable Revision reached,
            Set<ObjectKind> kinds,
            @Nullable Duration retryDelay) {
        // Without a stack trace, because rejecting a request is normal and the caller receives the error as data.
        super(message, null, false, false);
        this.reason = reason;
        this.violations = List.copyOf(violations);
        this.reached = reached;
        this.kinds = kinds;
        this.retryDelay = retryDelay;
    }

    private RequestException(
            ErrorReason reason, String message, List<FieldViolation> violations, @Nullable Revision reached) {
        this(reason, message, violations, reached, Set.of(), null);
    }

    public static RequestException of(ErrorReason reason, String message) {
        return new RequestException(reason, message, List.of(), null);
    }

    /** The request is rejected because of some kinds of objects. */
    static RequestException ofKinds(ErrorReason reason, String message, Set<ObjectKind> kinds) {
        return new RequestException(reason, message, List.of(), null, Collections.unmodifiableSet(kinds), null);
    }

    /** The request is invalid. Paths are relative to the request: {@code options.candidates.named.names[2]}. */
    public static RequestException invalid(List<FieldViolation> violations) {
        return new RequestException(
                ErrorReason.ERROR_REASON_INVALID_FIELD, Violations.message(violations), violations, null);
    }

    public static RequestException invalid(String field, String description) {
        return invalid(List.of(Violations.of(field, description)));
    }

    /** An object in the request is invalid; {@code field} is its path. */
    public static RequestException invalid(InvalidObjectException refused, String field) {
        return invalid(Violations.within(field, refused.violations()));
    }

    /** The request is no protobuf message of its type. */
    public static RequestException malformed(InvalidProtocolBufferException e) {
        return of(ErrorReason.ERROR_REASON_MALFORMED_REQUEST, "the request is malformed protobuf: " + e.getMessage());
    }

    /** The request exceeds a limit of the server. */
    public static RequestException overLimit(String field, String description) {
        return new RequestException(
                ErrorReason.ERROR_REASON_LIMIT_EXCEEDED,
                Violations.message(field, description),
                List.of(Violations.of(field, description)),
                null);
    }

    /**
     * The engine rejects a pod's plan.
     *
     * @param field the path of the pod's constraints, as far as known
     */
    public static RequestException overLimit(PlanLimitException refused, String field) {
        String message = String.valueOf(refused.getMessage());
        return new RequestException(
                ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, message, List.of(Violations.of(field, message)), null);
    }

    /** The engine rejects a plan. */
    static RequestException overLimit(PlanLimitException refused) {
        return of(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, String.valueOf(refused.getMessage()));
    }

    /** The engine has no room for what the request needs. */
    public static RequestException stateFull(CapacityException full) {
        return of(ErrorReason.ERROR_REASON_STATE_FULL, String.valueOf(full.getMessage()));
    }

    /** The state has not reached the revision that the request demands. */
    static RequestException notReached(ErrorReason reason, String message, Revision reached) {
        return new RequestException(reason, message, List.of(), reached);
    }

    /** The feeds of some kinds have not reached the versions that the request demands. */
    static RequestException notReached(String message, Revision reached, Set<ObjectKind> kinds) {
        return new RequestException(
                ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME,
                message,
                List.of(),
                reached,
                Collections.unmodifiableSet(kinds),
                null);
    }

    /** The server cannot take on more work now. {@code what} is the whole message. */
    public static RequestException tooBusy(String what) {
        return of(ErrorReason.ERROR_REASON_TOO_BUSY, what);
    }

    /** Like {@link #tooBusy(String)}, and says when to call again. */
    public static RequestException tooBusy(String what, Duration retryDelay) {
        return new RequestException(ErrorReason.ERROR_REASON_TOO_BUSY, what, List.of(), null, Set.of(), retryDelay);
    }

    /**
     * The server is stopping.
     *
     * @param advice what the caller can do, in the imperative: {@code call again}
     */
    public static RequestException stopping(String advice) {
        return of(ErrorReason.ERROR_REASON_STOPPING, whileStopping(advice));
    }

    /** Like {@link #stopping(String)}, for a call that waits for a revision later than {@code reached}. */
    static RequestException stopping(String advice, Revision reached) {
        return notReached(ErrorReason.ERROR_REASON_STOPPING, whileStopping(advice), reached);
    }

    private static String whileStopping(String advice) {
        return "the server is stopping: " + advice;
    }

    /** The machine-readable reason. */
    public ErrorReason reason() {
        return reason;
    }

    public StatusCode code() {
        return StatusCode.of(reason);
    }

    /** The human-readable error, on one line. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** The violations; empty if the error is not about fields. */
    public List<FieldViolation> violations() {
        return violations;
    }

    /** The kinds of objects that the error is about; empty if it is not about kinds. */
    public Set<ObjectKind> kinds() {
        return kinds;
    }

    /** When the caller should call again; null if that is unknown, or if the request would fail again. */
    public @Nullable Duration retryDelay() {
        return retryDelay;
    }

    /** The revision that the state has reached, if a later one was demanded; otherwise null. */
    public @Nullable Revision reached() {
        return reached;
    }
}
