package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.VersionOrder;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The UIDs of recently deleted nodes, owners and budgets, with the newest known resourceVersion of each, so that a late
 * event does not bring one back. Their number is bounded; the oldest are forgotten first. {@link DeletedPods} does the
 * same for pods.
 */
public final class Tombstones {
    /**
     * The map has room for this many from the start. Otherwise the writer, and everyone waiting for it, would sometimes
     * wait while the map is copied into a larger one.
     */
    private static final int MAX_CAPACITY = 1 << 16;

    private final int limit;
    private final Map<String, Tombstone> tombstones;

    /** @param replaced whether another object took its name, and its deletion was not reported */
    private record Tombstone(long version, boolean replaced) {
        boolean admits(Change change, long incoming, boolean nameTaken) {
            return VersionOrder.mayReturn(change, version, incoming)
                    && !((replaced || nameTaken) && VersionOrder.isStale(change, version, incoming));
        }
    }

    public Tombstones(int limit) {
        this.limit = limit;
        // A map grows when it is three quarters full.
        tombstones = new LinkedHashMap<>(Math.min(limit, MAX_CAPACITY) / 3 * 4 + 4);
    }

    /** How many UIDs are kept at most. */
    public int limit() {
        return limit;
    }

    /** Records a deletion. If a UID is recorded several times, the newest version stays. */
    public void remember(String uid, long version) {
        remember(uid, version, false);
    }

    /** Records that an object with another UID has taken the name of this one. */
    public void rememberReplaced(String uid, long version) {
        remember(uid, version, true);
    }

    private void remember(String uid, long version, boolean replaced) {
        Tombstone known = tombstones.remove(uid);
        long newest = known == null ? version : VersionOrder.newest(known.version, version);
        tombstones.put(uid, new Tombstone(newest, replaced));
        if (tombstones.size() > limit) {
            Iterator<String> oldestFirst = tombstones.keySet().iterator();
            oldestFirst.next();
            oldestFirst.remove();
        }
    }

    /**
     * Whether this change may store an object at this version (0 if unknown). It may if its UID was not deleted, or may
     * come back. If another object has its name now, or took it, its version must be newer than before. Otherwise the
     * older of two objects would win if events are duplicated or out of order.
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
