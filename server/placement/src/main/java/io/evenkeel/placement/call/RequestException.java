package io.evenkeel.placement.call;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.objects.Violations;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.Revision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses a whole request. Nothing of it was done, unless the message says otherwise. */
public final class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final transient List<FieldViolation> violations;
    private final transient @Nullable Revision reached;
    private final boolean waited;

    private RequestException(
            ErrorCode code,
            String message,
            List<FieldViolation> violations,
            @Nullable Revision reached,
            boolean waited) {
        // Without a stack trace: the caller gets the error as data, and refusing a request is nothing unexpected.
        super(message, null, false, false);
        this.code = code;
        this.violations = List.copyOf(violations);
        this.reached = reached;
        this.waited = waited;
    }

    public static RequestException of(ErrorCode code, String message) {
        return new RequestException(code, message, List.of(), null, false);
    }

    /** The request breaks rules. The paths begin at the request: {@code options.candidates.named.names[2]}. */
    public static RequestException invalid(List<FieldViolation> violations) {
        return new RequestException(
                ErrorCode.INVALID_ARGUMENT, Violations.message(violations), violations, null, false);
    }

    public static RequestException invalid(String field, String description) {
        return invalid(List.of(Violations.of(field, description)));
    }

    /** The request asks for more than a limit of the server allows. */
    public static RequestException overLimit(String field, String description) {
        return new RequestException(
                ErrorCode.RESOURCE_EXHAUSTED,
                Violations.message(field, description),
                List.of(Violations.of(field, description)),
                null,
                false);
    }

    /** The engine refuses a pod's plan. */
    public static RequestException overLimit(PlanLimitException refused) {
        String message = String.valueOf(refused.getMessage());
        return new RequestException(
                ErrorCode.RESOURCE_EXHAUSTED,
                message,
                List.of(Violations.of("spec.topologySpreadConstraints", message)),
                null,
                false);
    }

    /** The engine has no room for what the request needs. */
    static RequestException overLimit(CapacityException full) {
        return of(ErrorCode.RESOURCE_EXHAUSTED, String.valueOf(full.getMessage()));
    }

    /** The state has not reached the revision that the request demands. */
    static RequestException notReached(ErrorCode code, String message, Revision reached) {
        return new RequestException(code, message, List.of(), reached, false);
    }

    /** The server does not take on more work now; {@code what} says of which kind. */
    public static RequestException tooBusy(String what) {
        return of(ErrorCode.RESOURCE_EXHAUSTED, what);
    }

    /** The call has waited as long as it may for the revision that it demands. */
    static RequestException waitedInVain(String message, Revision reached) {
        return new RequestException(ErrorCode.UNAVAILABLE, message, List.of(), reached, true);
    }

    public ErrorCode code() {
        return code;
    }

    /** The error for a person, on one line. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** The violated rules; empty where the error is not about a field. */
    public List<FieldViolation> violations() {
        return violations;
    }

    /** Whether the call has waited for a revision as long as it may, so that it is no use to repeat it at once. */
    public boolean hasWaited() {
        return waited;
    }

    /** The revision that the state has reached, where a later one was demanded; otherwise null. */
    public @Nullable Revision reached() {
        return reached;
    }
}
