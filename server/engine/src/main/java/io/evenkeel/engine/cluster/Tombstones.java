package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ResourceVersions;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The UIDs of nodes and owners that went last, with the newest resourceVersion known of each, so that a late event does
 * not bring one back. Their number is bounded; the oldest are forgotten first. {@link DeletedPods} does the same for
 * pods.
 */
public final class Tombstones {
    /**
     * The map has room for this many from the start. Otherwise a writer, and all who wait for it, would now and then
     * wait while the map is copied into a larger one.
     */
    private static final int MOST_ROOM = 1 << 16;

    private final int limit;
    private final Map<String, Tombstone> tombstones;

    /** @param replaced whether another object took its name, and nobody has told of a deletion */
    private record Tombstone(long version, boolean replaced) {
        boolean admits(Change change, long told, boolean nameTaken) {
            return ResourceVersions.mayReturn(change, version, told)
                    && !((replaced || nameTaken) && ResourceVersions.isStale(change, version, told));
        }
    }

    public Tombstones(int limit) {
        this.limit = limit;
        // A map grows when it is three quarters full.
        tombstones = new LinkedHashMap<>(Math.min(limit, MOST_ROOM) / 3 * 4 + 4);
    }

    /** How many UIDs are kept at most. */
    public int limit() {
        return limit;
    }

    /** Records a deletion. Where a UID is recorded several times, the newest version stays. */
    public void remember(String uid, long version) {
        remember(uid, version, false);
    }

    /** Records that an object with another UID has taken the name of this one. */
    public void rememberReplaced(String uid, long version) {
        remember(uid, version, true);
    }

    private void remember(String uid, long version, boolean replaced) {
        Tombstone known = tombstones.remove(uid);
        long newest = known == null ? version : ResourceVersions.newest(known.version, version);
        tombstones.put(uid, new Tombstone(newest, replaced));
        if (tombstones.size() > limit) {
            Iterator<String> oldestFirst = tombstones.keySet().iterator();
            oldestFirst.next();
            oldestFirst.remove();
        }
    }

    /**
     * Whether an object may be stored that this change tells of at this version (0 if unknown). It may where its UID
     * was not deleted, or may come back. Where its name is another object's now, or was taken by one, it must be newer
     * than it was: else the older of two would win where events come twice, or in the wrong order.
     */
    public boolean admits(String uid, Change change, long version, boolean nameTaken) {
        Tombstone known = tombstones.get(uid);
        return known == null || known.admits(change, version, nameTaken);
    }

    /** The newest version of the deleted object with that UID; 0 if there is none. */
    public long version(String uid) {
        Tombstone known = tombstones.get(uid);
        return known == null ? 0 : known.version;
    }

    /** Removes a UID, because an object has it again. */
    public void forget(String uid) {
        tombstones.remove(uid);
    }
}
