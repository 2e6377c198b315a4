package io.evenkeel.engine.memory;

/** A shared part of the index that plans rest on, and whose memory is bounded together with theirs. */
public abstract class IndexPart extends Shared {
    /** What it takes, as last counted in {@code SpreadIndex.bytes}. */
    public long accountedBytes;

    /** About how many bytes it takes. */
    public abstract long bytes();

    /** What it takes where it has one user, as last accounted; 0 where it has more. */
    public final long bytesOfNobodyElse() {
        return users() == 1 ? accountedBytes : 0;
    }
}
