package io.evenkeel.engine.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How current the state of each kind of object is, in resourceVersions of the API server. A version is 0 if unknown.
 *
 * <pre>
 *   told   by kind: the version of the last event that the state includes; it names the state of the kind
 *   held   by kind: the state includes every event up to this version
 * </pre>
 *
 * Not safe for use by several threads.
 */
public final class KindVersions {
    private static final int KINDS = ObjectKind.ALL.size();

    private final long[] reported = new long[KINDS];
    private final long[] held = new long[KINDS];

    public long reported(ObjectKind kind) {
        return reported[kind.ordinal()];
    }

    public long held(ObjectKind kind) {
        return held[kind.ordinal()];
    }

    public void set(ObjectKind kind, long reportedVersion, long heldVersion) {
        reported[kind.ordinal()] = reportedVersion;
        held[kind.ordinal()] = heldVersion;
    }

    /**
     * Called when a list contains an object at a version up to which the state includes every event, but the object is
     * not stored at that version. So the list is older than the state, and the state goes back: {@code held} becomes
     * the version of the listed object.
     *
     * @param stored 0 if the object is not stored
     */
    public void goBack(ObjectKind kind, Change change, long stored, long listed) {
        if (change == Change.LISTED && listed > 0 && listed != stored && listed < held[kind.ordinal()]) {
            held[kind.ordinal()] = listed;
        }
    }

    public void copyFrom(KindVersions other) {
        System.arraycopy(other.reported, 0, reported, 0, KINDS);
        System.arraycopy(other.held, 0, held, 0, KINDS);
    }

    /** A copy, which does not change with this. */
    public KindVersions copy() {
        KindVersions copy = new KindVersions();
        copy.copyFrom(this);
        return copy;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KindVersions versions
                && Arrays.equals(reported, versions.reported)
                && Arrays.equals(held, versions.held);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(reported) + Arrays.hashCode(held);
    }

    @Override
    public String toString() {
        return "reported=" + Arrays.toString(reported) + ", held=" + Arrays.toString(held);
    }
}
