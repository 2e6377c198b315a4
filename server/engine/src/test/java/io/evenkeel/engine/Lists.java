package io.evenkeel.engine;

import io.evenkeel.engine.model.ObjectKind;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** Makes the versions of lists that the end of a snapshot takes. */
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
}
