package io.evenkeel.engine.model;

/** Decides which of two versions of an object is newer. A version is 0 if unknown. */
public final class VersionOrder {
    private VersionOrder() {}

    /**
     * Whether an object reported at version {@code incoming} is not newer than the stored one. A listed object always
     * counts as newer, so that a cluster restored from a backup is followed.
     */
    public static boolean isStale(Change change, long stored, long incoming) {
        return change != Change.LISTED && stored != 0 && incoming != 0 && Long.compareUnsigned(incoming, stored) <= 0;
    }

    /**
     * Whether this change, at version {@code incoming}, may restore a deleted object. A version equal to {@code known}
     * may restore it too: from an API server it cannot be a late event, because each deletion gets its own version; and
     * a caller that feeds a state by hand may add the very same object again.
     *
     * @param known the newest version reported until its deletion
     */
    public static boolean mayReturn(Change change, long known, long incoming) {
        return change == Change.LISTED
                || change == Change.ADDED && (incoming == 0 || Long.compareUnsigned(incoming, known) >= 0);
    }

    /**
     * The version to store when an object is replaced by one of version {@code incoming}. If that is unknown, the
     * stored version is kept.
     */
    public static long kept(long stored, long incoming) {
        return incoming == 0 ? stored : incoming;
    }

    public static long newest(long stored, long incoming) {
        return Long.compareUnsigned(stored, incoming) >= 0 ? stored : incoming;
    }
}
