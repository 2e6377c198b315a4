package io.evenkeel.engine.memory;

/** Sums up roughly how many bytes the shared parts of an index take. */
public final class PartBytes {
    private long total;

    public long total() {
        return total;
    }

    /** Updates the sum with the present size of a part. */
    public void account(IndexPart part) {
        account(part, part.bytes());
    }

    /** Subtracts a removed part from the sum. */
    void forget(IndexPart part) {
        account(part, 0);
    }

    private void account(IndexPart part, long now) {
        total += now - part.accountedBytes;
        part.accountedBytes = now;
    }
}
