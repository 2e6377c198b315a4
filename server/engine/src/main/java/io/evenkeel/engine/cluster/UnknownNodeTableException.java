package io.evenkeel.engine.cluster;

import java.io.Serial;

/** Thrown when slots are those of a node table that is not known anymore, or never was. */
public final class UnknownNodeTableException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    UnknownNodeTableException(long revision, long oldest, long newest) {
        super("node table revision " + revision + " is not known: those from " + oldest + " to " + newest + " are");
    }
}
