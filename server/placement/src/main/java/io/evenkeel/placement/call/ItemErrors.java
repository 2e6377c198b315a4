package io.evenkeel.placement.call;

import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Violations;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ItemError;
import java.util.List;

/** Creates the errors for rejected items of a batch. */
public final class ItemErrors {
    private ItemErrors() {}

    public static ItemError of(RequestException error) {
        return of(error.reason(), error.getMessage(), error.violations());
    }

    public static ItemError of(ErrorReason reason, RuntimeException error) {
        return of(reason, String.valueOf(error.getMessage()));
    }

    public static ItemError of(ErrorReason reason, String message) {
        return of(reason, message, List.of());
    }

    public static ItemError invalid(String field, String description) {
        return invalid(List.of(Violations.of(field, description)));
    }

    /**
     * The error of an item whose object was rejected.
     *
     * @param within the path of the object within the item; empty if the object is the item
     */
    public static ItemError invalid(InvalidObjectException refused, String within) {
        return within.isEmpty()
                ? invalid(refused.violations())
                : invalid(Violations.within(within, refused.violations()));
    }

    private static ItemError invalid(List<FieldViolation> violations) {
        return of(ErrorReason.ERROR_REASON_INVALID_FIELD, Violations.message(violations), violations);
    }

    private static ItemError of(ErrorReason reason, String message, List<FieldViolation> violations) {
        return ItemError.newBuilder()
                .setCode(StatusCode.of(reason).number())
                .setReason(reason)
                .setMessage(message)
                .addAllViolations(violations)
                .build();
    }
}
