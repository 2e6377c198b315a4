package io.evenkeel.objects;

import io.evenkeel.v1.FieldViolation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Collects the violations of one object. Keeps only the first {@value #MAX_KEPT}, so that errors stay readable. */
public final class Violations {
    static final int MAX_KEPT = 100;

    private final List<FieldViolation> kept = new ArrayList<>();
    private int left;

    void add(FieldPath field, String description) {
        if (kept.size() < MAX_KEPT) {
            kept.add(of(field.toString(), description));
        } else {
            left++;
        }
    }

    public boolean isEmpty() {
        return kept.isEmpty();
    }

    /** The kept violations. The last one mentions how many more there were. */
    List<FieldViolation> list() {
        List<FieldViolation> all = new ArrayList<>(kept);
        if (left > 0) {
            FieldViolation last = all.remove(all.size() - 1);
            all.add(of(last.getField(), last.getDescription() + " (and " + left + " more violations)"));
        }
        return all;
    }

    /** The kept violations on one line. */
    public String message() {
        return message(list());
    }

    void throwIfAny() throws InvalidObjectException {
        if (!kept.isEmpty()) {
            throw new InvalidObjectException(this);
        }
    }

    /**
     * A violation as a message.
     *
     * @param field the path of the field, such as {@code spec.topologySpreadConstraints[1].maxSkew}
     * @param description the rule and then the value, such as {@code must be at least 1, was 0}
     */
    public static FieldViolation of(String field, String description) {
        return FieldViolation.newBuilder()
                .setField(field)
                .setDescription(description)
                .build();
    }

    /** The same violations for an object nested in another one, at the path {@code within}. */
    public static List<FieldViolation> within(String within, List<FieldViolation> violations) {
        return violations.stream()
                .map(each -> of(within + "." + each.getField(), each.getDescription()))
                .toList();
    }

    /** The violations on one line. */
    public static String message(List<FieldViolation> violations) {
        return violations.stream()
                .map(each -> message(each.getField(), each.getDescription()))
                .collect(Collectors.joining("; "));
    }

    /** The field's name, the description and the path: {@code maxSkew must be at least 1, was 0 (spec...maxSkew)}. */
    public static String message(String field, String description) {
        if (field.isEmpty()) {
            return "the document " + description;
        }
        String path = field.substring(0, field.endsWith("]") ? field.lastIndexOf('[') : field.length());
        String name = field.substring(path.lastIndexOf('.') + 1);
        return name.equals(field) ? field + " " + description : name + " " + description + " (" + field + ")";
    }
}
