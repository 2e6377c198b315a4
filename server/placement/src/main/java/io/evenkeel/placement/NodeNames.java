package io.evenkeel.placement;

import org.jspecify.annotations.Nullable;

/** Validates node names in requests. */
final class NodeNames {
    /** The maximum length of a node name in Kubernetes. */
    private static final int LONGEST = 253;

    private NodeNames() {}

    /** The description of the violation; null if the name is valid. */
    static @Nullable String wrong(String name) {
        if (name.isEmpty()) {
            return "must not be empty";
        }
        return name.length() > LONGEST ? "must have at most " + LONGEST + " characters, had " + name.length() : null;
    }
}
