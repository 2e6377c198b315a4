package io.evenkeel.engine.memory;

/** About how many bytes the shared parts of an index take; a sum that is kept. */
public final class PartBytes {
    private long total;

    public long total() {
        return total;
    }

    /** Counts in what a part takes now, in place of what it took when it was last counted. */
    public void account(IndexPart part) {
        account(part, part.bytes());
    }

    /** A part goes. */
    void forget(IndexPart part) {
        account(part, 0);
    }

    private void account(IndexPart part, long now) {
        total += now - part.accountedBytes;
        part.accountedBytes = now;
    }
}
