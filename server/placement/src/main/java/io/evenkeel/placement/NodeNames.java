package io.evenkeel.placement;

import org.jspecify.annotations.Nullable;

/** Validates node names in requests. */
final class NodeNames {
    /** The maximum length of a node name in Kubernetes. */
    private static final int LONGEST = 253;

    /** The maximum length of what comes before the number of a node: an int with its sign may follow. */
    private static final int LONGEST_PREFIX =
            LONGEST - String.valueOf(Integer.MIN_VALUE).length();

    private NodeNames() {}

    /** The description of the violation; null if the name is valid. */
    static @Nullable String wrong(String name) {
        return wrong(name, LONGEST);
    }

    /** The same for a name to which numbers are added. */
    static @Nullable String wrongBeforeNumbers(String name) {
        return wrong(name, LONGEST_PREFIX);
    }

    private static @Nullable String wrong(String name, int longest) {
        if (name.isEmpty()) {
            return "must not be empty";
        }
        return name.length() > longest ? "must have at most " + longest + " characters, had " + name.length() : null;
    }
}
