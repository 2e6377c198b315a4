package io.evenkeel.engine;

/** A shared part of the index that plans rest on, and whose memory is bounded together with theirs. */
abstract class IndexPart extends Shared {
    /** What it takes, as last counted in {@link SpreadIndex#bytes}. */
    long accountedBytes;

    /** About how many bytes it takes. */
    abstract long bytes();
}
