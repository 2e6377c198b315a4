package io.evenkeel.engine.model;

/** Decides which of two versions of an object is newer. A version is 0 if it is not known. */
public final class ResourceVersions {
    private ResourceVersions() {}

    /**
     * Whether an object that is told of at version {@code told} is not newer than the stored one. A listed object
     * always counts as newer, so that a cluster restored from a backup is followed.
     */
    public static boolean isStale(Change change, long stored, long told) {
        return change != Change.LISTED && stored != 0 && told != 0 && Long.compareUnsigned(told, stored) <= 0;
    }

    /**
     * Whether an object that was deleted may come back, when this change tells of it at version {@code told}. It may
     * also come back as it was: an API server gives each deletion a version of its own, and who feeds a state by hand
     * adds the very object again.
     *
     * @param known the newest version that was told of it until its deletion
     */
    public static boolean mayReturn(Change change, long known, long told) {
        return change == Change.LISTED
                || change == Change.ADDED && (told == 0 || Long.compareUnsigned(told, known) >= 0);
    }

    /**
     * The version to store when an object is replaced by one of version {@code told}. Where that is unknown, the stored
     * version is kept.
     */
    public static long kept(long stored, long told) {
        return told == 0 ? stored : told;
    }

    public static long newest(long stored, long told) {
        return Long.compareUnsigned(stored, told) >= 0 ? stored : told;
    }
}
