package io.evenkeel.engine.naive;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The model's objects of one kind by UID, with the rules for events that are late, duplicated or out of order. If a
 * kind is looked up by name, an object that takes the name of another UID replaces it, and that UID counts as deleted.
 */
final class ModelObjects<T> {
    private record Entry<T>(T object, String name, long resourceVersion) {}

    private record Named(ObjectKind kind, String uid) {}

    private final boolean oneUidPerName;
    private final Map<String, Entry<T>> byUid = new LinkedHashMap<>();

    /** The UID that has a name, if a name can have only one. */
    private final Map<String, String> uidOfName = new HashMap<>();

    /** The newest known resourceVersion of each deleted UID. */
    private final Map<String, Long> tombstones = new HashMap<>();

    /** Deleted UIDs whose name another object has taken, and whose deletion was never reported. */
    private final Set<String> replaced = new HashSet<>();

    /** What was named of each kind since its last snapshot began. */
    private final Set<Named> named = new HashSet<>();

    /** What stays at the end of that snapshot only if it is newer than the list. */
    private final Set<Named> perhapsNewer = new HashSet<>();

    /** The kinds whose snapshot is under way. */
    private final Set<ObjectKind> inSnapshot = new HashSet<>();

    private boolean fromElsewhere;

    private final Function<T, ObjectKind> kindOf;

    ModelObjects(boolean oneUidPerName, Function<T, ObjectKind> kindOf) {
        this.oneUidPerName = oneUidPerName;
        this.kindOf = kindOf;
    }

    Collection<T> all() {
        return byUid.values().stream().map(Entry::object).toList();
    }

    Set<String> uids(ObjectKind kind) {
        Set<String> uids = new HashSet<>();
        byUid.forEach((uid, entry) -> {
            if (kindOf.apply(entry.object()) == kind) {
                uids.add(uid);
            }
        });
        return uids;
    }

    @Nullable
    T get(String uid) {
        Entry<T> entry = byUid.get(uid);
        return entry == null ? null : entry.object();
    }

    void setFromElsewhere(boolean elsewhere) {
        fromElsewhere = elsewhere;
    }

    boolean isDeleted(String uid) {
        return tombstones.containsKey(uid);
    }

    /** Applies an event and returns whether it was news. */
    boolean apply(Change change, String uid, String name, long resourceVersion, T object) {
        if (change == Change.DELETED) {
            replaced.remove(uid);
            return delete(uid, resourceVersion);
        }
        Named told = new Named(kindOf.apply(object), uid);
        Entry<T> stored = byUid.get(uid);
        if (isLate(change, uid, name, resourceVersion)) {
            if (stored != null && !fromElsewhere) {
                (resourceVersion == stored.resourceVersion() ? named : perhapsNewer).add(told);
            }
            return false;
        }
        (fromElsewhere ? perhapsNewer : named).add(told);
        if (oneUidPerName) {
            takeName(name, uid, stored);
        }
        Long deletedAt = tombstones.remove(uid);
        replaced.remove(uid);
        long known = stored != null ? stored.resourceVersion() : deletedAt != null ? deletedAt : 0;
        // An event without a version leaves the version as it was.
        Entry<T> entry = new Entry<>(object, name, resourceVersion == 0 ? known : resourceVersion);
        return !entry.equals(byUid.put(uid, entry));
    }

    private boolean isLate(Change change, String uid, String name, long resourceVersion) {
        if (change == Change.LISTED) {
            return false;
        }
        Entry<T> stored = byUid.get(uid);
        if (stored != null) {
            return !isNewer(resourceVersion, stored.resourceVersion());
        }
        if (oneUidPerName && fromElsewhere && isOlderThanListed(uidOfName.get(name), resourceVersion)) {
            return true;
        }
        Long deletedAt = tombstones.get(uid);
        return deletedAt != null
                && (change == Change.MODIFIED
                        || !isNewer(resourceVersion, deletedAt)
                                && (resourceVersion != deletedAt
                                        || replaced.contains(uid)
                                        || uidOfName.containsKey(name)));
    }

    /** Whether the list in progress has an object with the same name that is not older. */
    private boolean isOlderThanListed(@Nullable String namesake, long resourceVersion) {
        Entry<T> holder = namesake == null ? null : byUid.get(namesake);
        if (namesake == null || holder == null) {
            return false;
        }
        ObjectKind kind = kindOf.apply(holder.object());
        return inSnapshot.contains(kind)
                && named.contains(new Named(kind, namesake))
                && !isNewer(resourceVersion, holder.resourceVersion());
    }

    private static boolean isNewer(long resourceVersion, long known) {
        return resourceVersion == 0 || Long.compareUnsigned(resourceVersion, known) > 0;
    }

    private void takeName(String name, String heir, @Nullable Entry<T> stored) {
        if (stored != null) {
            uidOfName.remove(stored.name(), heir);
        }
        String holder = uidOfName.get(name);
        if (holder != null) {
            replaced.add(holder);
            delete(holder, 0);
        }
        uidOfName.put(name, heir);
    }

    private boolean delete(String uid, long resourceVersion) {
        named.removeIf(each -> each.uid().equals(uid));
        perhapsNewer.removeIf(each -> each.uid().equals(uid));
        Entry<T> removed = remove(uid);
        long known = removed != null ? removed.resourceVersion() : tombstones.getOrDefault(uid, 0L);
        tombstones.put(uid, Long.compareUnsigned(resourceVersion, known) > 0 ? resourceVersion : known);
        return removed != null;
    }

    void beginSnapshot(Set<ObjectKind> kinds) {
        inSnapshot.addAll(kinds);
        named.removeIf(each -> kinds.contains(each.kind()));
        perhapsNewer.removeIf(each -> kinds.contains(each.kind()));
    }

    void abandonSnapshot(Set<ObjectKind> kinds) {
        inSnapshot.removeAll(kinds);
    }

    /**
     * Removes what the lists of these kinds do not contain, and returns its UIDs. It is deleted at the list's version.
     * If that is unknown, it may come back at once.
     */
    Set<String> endSnapshot(Map<ObjectKind, Long> lists) {
        Set<String> removed = new HashSet<>();
        inSnapshot.removeAll(lists.keySet());
        lists.forEach((kind, list) -> {
            for (String uid : uids(kind)) {
                Named each = new Named(kind, uid);
                long stored = Objects.requireNonNull(byUid.get(uid)).resourceVersion();
                if (!named.contains(each) && !(perhapsNewer.contains(each) && (list == 0 || isNewer(stored, list)))) {
                    remove(uid);
                    removed.add(uid);
                    if (list != 0) {
                        tombstones.put(uid, list);
                    }
                }
            }
        });
        return removed;
    }

    private @Nullable Entry<T> remove(String uid) {
        Entry<T> removed = byUid.remove(uid);
        if (removed != null) {
            uidOfName.remove(removed.name(), uid);
        }
        return removed;
    }
}
