package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ResourceVersions;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The UIDs of nodes and owners deleted last, with the newest resourceVersion known of each, so that a late event does
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
    private final Map<String, Long> versions;

    public Tombstones(int limit) {
        this.limit = limit;
        // A map grows when it is three quarters full.
        versions = new LinkedHashMap<>(Math.min(limit, MOST_ROOM) / 3 * 4 + 4);
    }

    /** Records a deletion. Where a UID is recorded several times, the newest version stays. */
    public void remember(String uid, long version) {
        Long known = versions.remove(uid);
        versions.put(uid, known == null ? version : ResourceVersions.newest(known, version));
        if (versions.size() > limit) {
            Iterator<String> oldestFirst = versions.keySet().iterator();
            oldestFirst.next();
            oldestFirst.remove();
        }
    }

    /**
     * Whether an object may be stored that this change tells of at this version (0 where unknown). It may where its UID
     * was not deleted, or may come back.
     */
    public boolean admits(String uid, Change change, long version) {
        Long known = versions.get(uid);
        return known == null || ResourceVersions.mayReturn(change, known, version);
    }

    /** The newest version of the deleted object with that UID; 0 where there is none. */
    public long version(String uid) {
        return versions.getOrDefault(uid, 0L);
    }

    /** Removes a UID, because an object has it again. */
    public void forget(String uid) {
        versions.remove(uid);
    }
}
