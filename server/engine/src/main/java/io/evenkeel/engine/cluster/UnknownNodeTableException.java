package io.evenkeel.engine.cluster;

import java.io.Serial;

/** Thrown if slots refer to a node table revision that is no longer known, or never existed. */
public final class UnknownNodeTableException extends InvalidSlotsException {
    @Serial
    private static final long serialVersionUID = 1L;

    UnknownNodeTableException(long revision, long oldest, long newest) {
        super("node table revision " + revision + " is not known: those from " + oldest + " to " + newest + " are");
    }
}
