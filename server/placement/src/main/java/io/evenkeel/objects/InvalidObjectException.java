package io.evenkeel.objects;

import io.evenkeel.v1.FieldViolation;
import java.util.List;
import java.util.Objects;

/** Says that an object was refused, with every rule that it breaks. Nothing of the object was taken. */
public final class InvalidObjectException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<FieldViolation> violations;

    /** @param violations at least one */
    InvalidObjectException(Violations violations) {
        super(violations.message());
        this.violations = List.copyOf(violations.list());
    }

    /** Every rule that the object breaks, in the order of its fields; the first 100 of them. */
    public List<FieldViolation> violations() {
        return violations;
    }

    @Override
    public String getMessage() {
        return Objects.requireNonNull(super.getMessage());
    }
}
