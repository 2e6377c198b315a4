package io.evenkeel.objects;

/**
 * The limits on the size of one incoming pod.
 *
 * @param constraints topology spread constraints
 * @param entries entries of each list or map: labels, node selector labels, tolerations, owner references, terms,
 *     requirements of a term or selector, values of a requirement, matchLabelKeys
 */
public record PodLimits(int constraints, int entries) {
    /** 64 constraints, and 10,000 entries per list or map: enough for a node affinity that names every node. */
    public static final PodLimits DEFAULT = new PodLimits(64, 10_000);

    public PodLimits {
        if (constraints < 1) {
            throw new IllegalArgumentException("constraints must be at least 1, was " + constraints);
        }
        if (entries < 1) {
            throw new IllegalArgumentException("entries must be at least 1, was " + entries);
        }
    }

    /** True if a list or map of {@code size} entries is within the limit. Otherwise adds a violation. */
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
