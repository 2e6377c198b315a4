package io.evenkeel.manifest;

import io.evenkeel.objects.FieldPath;
import org.jspecify.annotations.Nullable;

/**
 * A field of an object that Kubernetes does not know, or that the object has twice.
 *
 * @param path the path of the field in the object
 * @param meant the paths that were probably meant by an unknown field; null if none is known
 * @param line its position in the text
 * @param column its position in the line
 */
record FieldProblem(
        String path, boolean isRepeated, @Nullable String meant, int line, int column) {
    static final String CONSTRAINTS = "topologySpreadConstraints";

    private static final String TEMPLATE = "spec.template.";

    /** Whether a constraint is misplaced or wrong. */
    boolean isOfConstraints() {
        return path.contains(CONSTRAINTS) || meant != null && meant.contains(CONSTRAINTS);
    }

    /** Whether the field is outside the pod template of a custom resource. */
    boolean isOutsideTemplate() {
        return !path.startsWith(TEMPLATE);
    }

    /**
     * What is wrong: {@code spec.maxSkew: unknown field; did you mean ...?}.
     *
     * @param object the path of the object
     */
    String within(FieldPath object) {
        String prefix = object == FieldPath.ROOT ? "" : object + ".";
        return prefix + path + ": " + (isRepeated ? "duplicate field" : "unknown field")
                + (meant == null ? "" : "; did you mean " + meant + "?");
    }

    /** The path without the indexes of lists. */
    static String anyIndex(String path) {
        return path.replaceAll("\\[\\d+]", "[]");
    }
}
