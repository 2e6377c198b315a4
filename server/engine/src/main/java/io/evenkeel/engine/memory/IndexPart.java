package io.evenkeel.engine.memory;

/**
 * A part of the index that several plans may share, such as the counts of one selector. Its memory counts towards the
 * same bound as that of the plans.
 */
public abstract class IndexPart extends Shared {
    /** Its size in bytes as it is counted at present in {@link PartBytes}. */
    long accountedBytes;

    /** Its place in {@link SharedParts}. */
    int place;

    /** Roughly how many bytes of heap it takes now. */
    public abstract long bytes();

    /** Its place among the parts of its kind; parts may move when another part of the kind is removed. */
    public final int place() {
        return place;
    }

    /** The bytes that its only user would free by releasing it: its accounted size, or 0 if it has several users. */
    public final long bytesOfNobodyElse() {
        return users() == 1 ? accountedBytes : 0;
    }
}
