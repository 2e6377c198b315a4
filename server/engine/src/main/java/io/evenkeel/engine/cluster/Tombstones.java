package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ResourceVersions;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The UIDs of nodes and owners deleted last, with the newest resourceVersion known of each, so that a late event does
 * not bring one back. Bounded; the oldest go first. Those of pods are {@link DeletedPods}.
 */
public final class Tombstones {
    /**
     * There is room for so many from the first on: else everyone would wait, now and then, while all are put into a
     * larger table.
     */
    private static final int MOST_ROOM = 1 << 16;

    private final int limit;
    private final Map<String, Long> versions;

    public Tombstones(int limit) {
        this.limit = limit;
        // At three quarters a table grows.
        versions = new LinkedHashMap<>(Math.min(limit, MOST_ROOM) / 3 * 4 + 4);
    }

    /** Notes a deletion; of several versions told of one UID the newest stays. */
    public void remember(String uid, long version) {
        Long known = versions.remove(uid);
        versions.put(uid, known == null ? version : ResourceVersions.newest(known, version));
        if (versions.size() > limit) {
            Iterator<String> oldestFirst = versions.keySet().iterator();
            oldestFirst.next();
            oldestFirst.remove();
        }
    }

    /** Whether an object told of in this way and at this version (0 where unknown) may (again) be. */
    public boolean admits(String uid, Change change, long version) {
        Long known = versions.get(uid);
        return known == null || ResourceVersions.mayReturn(change, known, version);
    }

    /** The newest version known of the object of that UID that was deleted, 0 where there is none. */
    public long version(String uid) {
        return versions.getOrDefault(uid, 0L);
    }

    /** A UID is that of an object again. */
    public void forget(String uid) {
        versions.remove(uid);
    }
}
