package io.evenkeel.engine.cluster;

import java.io.Serial;

/** Thrown when no node has a slot that is asked about, or had it at the revision that was named. */
public final class EmptySlotException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final int slot;

    EmptySlotException(int slot) {
        super("no node has slot " + slot);
        this.slot = slot;
    }

    public int slot() {
        return slot;
    }
}
