package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ItemError;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that each reason has the code that the contract lists it under. */
final class ErrorReasonsTest {
    /** The first and the last reason of each code, as errors.proto lists them. */
    private record Group(int first, int last, StatusCode code) {}

    private static final List<Group> GROUPS = List.of(
            new Group(1, 2, StatusCode.INVALID_ARGUMENT),
            new Group(3, 7, StatusCode.NOT_FOUND),
            new Group(8, 10, StatusCode.RESOURCE_EXHAUSTED),
            new Group(11, 14, StatusCode.FAILED_PRECONDITION),
            new Group(15, 16, StatusCode.ABORTED),
            new Group(17, 24, StatusCode.UNAVAILABLE),
            new Group(25, 26, StatusCode.DEADLINE_EXCEEDED),
            new Group(27, 27, StatusCode.INTERNAL),
            new Group(28, 29, StatusCode.UNAUTHENTICATED),
            new Group(30, 30, StatusCode.PERMISSION_DENIED),
            new Group(31, 31, StatusCode.UNAVAILABLE),
            new Group(32, 32, StatusCode.FAILED_PRECONDITION));

    @Test
    void everyReason_hasOneCode() {
        List<ErrorReason> listed = new ArrayList<>();
        for (Group group : GROUPS) {
            for (int number = group.first; number <= group.last; number++) {
                ErrorReason reason = ErrorReason.forNumber(number);
                listed.add(reason);
                assertEquals(group.code, StatusCode.of(reason), reason.name());
            }
        }
        List<ErrorReason> all = new ArrayList<>(List.of(ErrorReason.values()));
        all.remove(ErrorReason.ERROR_REASON_UNSPECIFIED);
        all.remove(ErrorReason.UNRECOGNIZED);
        assertEquals(all, listed);
    }

    @Test
    void errorOfAnItem_hasTheReasonAndTheCodeOfTheRefusal() {
        RequestException refused = RequestException.overLimit("pods", "must have at most 1 entries, had 2");
        ItemError error = ItemErrors.of(refused);
        assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, error.getReason());
        assertEquals(refused.code().number(), error.getCode());
        assertEquals("pods", error.getViolations(0).getField());
        assertNotEquals(0, ItemErrors.invalid("node", "must not be empty").getReasonValue());
    }
}
