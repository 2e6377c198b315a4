package io.evenkeel.engine.model;

/** Which of two versions of an object is newer; 0 where a version is not known. */
public final class ResourceVersions {
    private ResourceVersions() {}

    /**
     * Whether what is told is not newer than what is stored. A listed object is newer whatever its version, so that a
     * restored cluster is followed.
     */
    public static boolean isStale(Change change, long stored, long told) {
        return change != Change.LISTED && stored != 0 && told != 0 && Long.compareUnsigned(told, stored) <= 0;
    }

    /** Whether what was deleted at {@code known}, and is told of in this way and at this version, may be again. */
    public static boolean mayReturn(Change change, long known, long told) {
        return change == Change.LISTED
                || change == Change.ADDED && (told == 0 || Long.compareUnsigned(told, known) > 0);
    }

    /**
     * The version to store where {@code told} takes the place of {@code stored}: what is told without a version says
     * nothing about it.
     */
    public static long kept(long stored, long told) {
        return told == 0 ? stored : told;
    }

    public static long newest(long stored, long told) {
        return Long.compareUnsigned(stored, told) >= 0 ? stored : told;
    }
}
