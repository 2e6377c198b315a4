package io.evenkeel.objects;

import io.evenkeel.v1.FieldViolation;
import java.util.List;
import java.util.Objects;

/** An object was rejected as a whole. Lists the rules that it violates. */
public final class InvalidObjectException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<FieldViolation> violations;

    /** @param violations at least one */
    InvalidObjectException(Violations violations) {
        super(violations.message());
        this.violations = List.copyOf(violations.list());
    }

    /** The first 100 violations, in the order of the object's fields. */
    public List<FieldViolation> violations() {
        return violations;
    }

    @Override
    public String getMessage() {
        return Objects.requireNonNull(super.getMessage());
    }
}
