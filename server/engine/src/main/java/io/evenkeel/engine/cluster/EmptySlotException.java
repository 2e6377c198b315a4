package io.evenkeel.engine.cluster;

import java.io.Serial;

/** Thrown if a question names a slot that has no node, or had none at the given revision. */
public final class EmptySlotException extends InvalidSlotsException {
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
