package io.evenkeel.engine.model;

/** Decides which of two versions of an object is newer. A version is 0 if unknown. */
public final class ResourceVersions {
    private ResourceVersions() {}

    /**
     * Whether an object reported at version {@code told} is not newer than the stored one. A listed object always
     * counts as newer, so that a cluster restored from a backup is followed.
     */
    public static boolean isStale(Change change, long stored, long told) {
        return change != Change.LISTED && stored != 0 && told != 0 && Long.compareUnsigned(told, stored) <= 0;
    }

    /**
     * Whether this change, at version {@code told}, may restore a deleted object. A version equal to {@code known} may
     * restore it too: from an API server it cannot be a late event, because each deletion gets its own version; and a
     * caller that feeds a state by hand may add the very same object again.
     *
     * @param known the newest version reported until its deletion
     */
    public static boolean mayReturn(Change change, long known, long told) {
        return change == Change.LISTED
                || change == Change.ADDED && (told == 0 || Long.compareUnsigned(told, known) >= 0);
    }

    /**
     * The version to store when an object is replaced by one of version {@code told}. If that is unknown, the stored
     * version is kept.
     */
    public static long kept(long stored, long told) {
        return told == 0 ? stored : told;
    }

    public static long newest(long stored, long told) {
        return Long.compareUnsigned(stored, told) >= 0 ? stored : told;
    }
}
