package io.evenkeel.engine.cluster;

import java.io.Serial;

/** Thrown if the slots of a question do not refer to nodes; see {@link NodeSubset#ofSlots}. */
public abstract sealed class InvalidSlotsException extends RuntimeException
        permits EmptySlotException, UnknownNodeTableException {
    @Serial
    private static final long serialVersionUID = 1L;

    InvalidSlotsException(String message) {
        super(message);
    }
}
