package io.evenkeel.placement;

import org.jspecify.annotations.Nullable;

/** Checks names of nodes in requests. */
final class NodeNames {
    /** The longest name of a node that Kubernetes allows. */
    private static final int LONGEST = 253;

    private NodeNames() {}

    /** The rule that the name breaks, and the value; null where it breaks none. */
    static @Nullable String wrong(String name) {
        if (name.isEmpty()) {
            return "must not be empty";
        }
        return name.length() > LONGEST ? "must have at most " + LONGEST + " characters, had " + name.length() : null;
    }
}
