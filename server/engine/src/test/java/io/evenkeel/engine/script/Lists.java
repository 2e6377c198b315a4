package io.evenkeel.engine.script;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.store.Snapshot;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes the versions of lists that the end of a snapshot takes, and finds the snapshots in progress. */
public final class Lists {
    private Lists() {}

    /** Lists of these kinds, all at one version. */
    public static Map<ObjectKind, Long> at(long version, Set<ObjectKind> kinds) {
        Map<ObjectKind, Long> lists = new EnumMap<>(ObjectKind.class);
        kinds.forEach(kind -> lists.put(kind, version));
        return lists;
    }

    /** Lists of these kinds, with unknown versions. */
    public static Map<ObjectKind, Long> of(Set<ObjectKind> kinds) {
        return at(0, kinds);
    }

    /** The kinds whose snapshot is in progress. */
    public static Set<ObjectKind> underWay(Snapshot snapshot) {
        return ObjectKind.ALL.stream().filter(snapshot::isInProgress).collect(Collectors.toUnmodifiableSet());
    }
}
