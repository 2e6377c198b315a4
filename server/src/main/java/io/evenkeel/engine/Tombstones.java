package io.evenkeel.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/** The UIDs deleted last, with the newest resourceVersion known of each, so that a late event does not bring one back. Bounded; the oldest go first. */
final class Tombstones {
    private final int limit;
    private final Map<String, Long> versions;

    Tombstones(int limit) {
        this.limit = limit;
        this.versions = new LinkedHashMap<>();
    }

    /** Notes a deletion; of several versions told of one UID the newest stays. */
    void bury(String uid, long version) {
        Long known = versions.remove(uid);
        versions.put(uid, known != null && Long.compareUnsigned(known, version) > 0 ? known : version);
        if (versions.size() > limit) {
            versions.remove(versions.keySet().iterator().next());
        }
    }

    /** Whether an object told of in this way and at this version (0 where unknown) may (again) be. A UID that returns is no longer buried. */
    boolean admits(String uid, Change change, long version) {
        Long buried = versions.get(uid);
        if (buried == null) {
            return true;
        }
        boolean newer = version == 0 || Long.compareUnsigned(version, buried) > 0;
        boolean admitted = change == Change.LISTED || change == Change.ADDED && newer;
        if (admitted) {
            versions.remove(uid);
        }
        return admitted;
    }

    boolean holds(String uid) {
        return versions.containsKey(uid);
    }
}
