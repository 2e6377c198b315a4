package io.evenkeel.objects;

/**
 * How much one incoming pod may ask for.
 *
 * @param constraints topology spread constraints
 * @param entries labels, node selector labels, tolerations, owner references, terms, requirements of a term or
 *     selector, values of a requirement, matchLabelKeys: each list and map by itself
 */
public record PodLimits(int constraints, int entries) {
    /** 64 constraints, and 10,000 entries of each list and map: room for a node affinity that names every node. */
    public static final PodLimits DEFAULT = new PodLimits(64, 10_000);

    public PodLimits {
        if (constraints < 1) {
            throw new IllegalArgumentException("constraints must be at least 1, was " + constraints);
        }
        if (entries < 1) {
            throw new IllegalArgumentException("entries must be at least 1, was " + entries);
        }
    }

    /** Whether a list or map of {@code size} may be looked at; a violation where it may not. */
    boolean admitEntries(int size, FieldPath field, Violations violations) {
        return admit(size, entries, field, violations);
    }

    boolean admitConstraints(int size, FieldPath field, Violations violations) {
        return admit(size, constraints, field, violations);
    }

    private static boolean admit(int size, int most, FieldPath field, Violations violations) {
        if (size > most) {
            violations.add(field, "must have at most " + most + " entries, had " + size);
            return false;
        }
        return true;
    }
}
