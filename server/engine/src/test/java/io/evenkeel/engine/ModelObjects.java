package io.evenkeel.engine;

import io.evenkeel.engine.model.Change;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The model's objects of one kind by UID, with the rules for events that are late, repeated or out of order. If a kind
 * is found by name, an object with the name of another UID replaces that one, which counts as deleted.
 */
final class ModelObjects<T> {
    private record Entry<T>(T object, String name, long resourceVersion) {}

    private final boolean oneUidPerName;
    private final Map<String, Entry<T>> byUid = new LinkedHashMap<>();
    /** The newest resourceVersion known of each UID that is gone. */
    private final Map<String, Long> tombstones = new HashMap<>();

    private final Set<String> named = new HashSet<>();

    ModelObjects(boolean oneUidPerName) {
        this.oneUidPerName = oneUidPerName;
    }

    Collection<T> all() {
        return byUid.values().stream().map(Entry::object).toList();
    }

    @Nullable
    T get(String uid) {
        Entry<T> entry = byUid.get(uid);
        return entry == null ? null : entry.object();
    }

    boolean isDeleted(String uid) {
        return tombstones.containsKey(uid);
    }

    /** Takes in an event and tells whether it was news. */
    boolean apply(Change change, String uid, String name, long resourceVersion, T object) {
        if (change == Change.DELETED) {
            return delete(uid, resourceVersion);
        }
        named.add(uid);
        if (isLate(change, uid, resourceVersion)) {
            return false;
        }
        if (oneUidPerName) {
            giveUpName(name, uid);
        }
        Entry<T> stored = byUid.get(uid);
        Long deletedAt = tombstones.remove(uid);
        long known = stored != null ? stored.resourceVersion() : deletedAt != null ? deletedAt : 0;
        // What is told without a version says nothing about it.
        Entry<T> entry = new Entry<>(object, name, resourceVersion == 0 ? known : resourceVersion);
        return !entry.equals(byUid.put(uid, entry));
    }

    private boolean isLate(Change change, String uid, long resourceVersion) {
        if (change == Change.LISTED) {
            return false;
        }
        Entry<T> stored = byUid.get(uid);
        if (stored != null) {
            return !isNewer(resourceVersion, stored.resourceVersion());
        }
        Long deletedAt = tombstones.get(uid);
        return deletedAt != null && (change == Change.MODIFIED || !isNewer(resourceVersion, deletedAt));
    }

    private static boolean isNewer(long resourceVersion, long known) {
        return resourceVersion == 0 || Long.compareUnsigned(resourceVersion, known) > 0;
    }

    private void giveUpName(String name, String heir) {
        for (Map.Entry<String, Entry<T>> holder : Map.copyOf(byUid).entrySet()) {
            if (holder.getValue().name().equals(name) && !holder.getKey().equals(heir)) {
                delete(holder.getKey(), 0);
            }
        }
    }

    private boolean delete(String uid, long resourceVersion) {
        named.remove(uid);
        Entry<T> removed = byUid.remove(uid);
        long known = removed != null ? removed.resourceVersion() : tombstones.getOrDefault(uid, 0L);
        tombstones.put(uid, Long.compareUnsigned(resourceVersion, known) > 0 ? resourceVersion : known);
        return removed != null;
    }

    void beginSnapshot() {
        named.clear();
    }

    /**
     * Removes what nobody named since the snapshot began and returns the UIDs of that. Not to be named is not to be
     * deleted: it may come back at once.
     */
    Set<String> endSnapshot() {
        Set<String> unnamed = new HashSet<>(byUid.keySet());
        unnamed.removeAll(named);
        byUid.keySet().removeAll(unnamed);
        return unnamed;
    }
}
