package io.evenkeel.objects;

/**
 * One rule that an object breaks.
 *
 * @param field the path of the field, as {@code spec.topologySpreadConstraints[1].maxSkew}
 * @param description the rule, then the value, as {@code must be at least 1, was 0}
 */
public record Violation(String field, String description) {
    /**
     * The field's own name, the description and the path: {@code maxSkew must be at least 1, was 0 (spec...maxSkew)}.
     */
    public String message() {
        if (field.isEmpty()) {
            return "the document " + description;
        }
        String path = field.substring(0, field.endsWith("]") ? field.lastIndexOf('[') : field.length());
        String name = field.substring(path.lastIndexOf('.') + 1);
        return name.equals(field) ? field + " " + description : name + " " + description + " (" + field + ")";
    }
}
