package io.evenkeel.placement.call;

import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Violation;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ItemError;
import java.util.List;

/** What is wrong with one item of a batch, as a message. */
public final class ItemErrors {
    private ItemErrors() {}

    public static ItemError of(RequestException error) {
        return of(error.code(), error.getMessage(), error.violations());
    }

    public static ItemError of(ErrorCode code, RuntimeException error) {
        return of(code, String.valueOf(error.getMessage()));
    }

    public static ItemError of(ErrorCode code, String message) {
        return of(code, message, List.of());
    }

    public static ItemError invalid(String field, String description) {
        return invalid(List.of(new Violation(field, description)));
    }

    /**
     * The error of an item that is or holds an object which was refused.
     *
     * @param within where that object stands in the item, or empty where it is the item
     */
    public static ItemError invalid(InvalidObjectException refused, String within) {
        return within.isEmpty()
                ? invalid(refused.violations())
                : invalid(refused.violations().stream()
                        .map(each -> new Violation(within + "." + each.field(), each.description()))
                        .toList());
    }

    private static ItemError invalid(List<Violation> violations) {
        return of(ErrorCode.INVALID_ARGUMENT, RequestException.messageOf(violations), violations);
    }

    private static ItemError of(ErrorCode code, String message, List<Violation> violations) {
        ItemError.Builder error = ItemError.newBuilder().setCode(code.number()).setMessage(message);
        for (Violation violation : violations) {
            error.addViolations(
                    FieldViolation.newBuilder().setField(violation.field()).setDescription(violation.description()));
        }
        return error.build();
    }
}
