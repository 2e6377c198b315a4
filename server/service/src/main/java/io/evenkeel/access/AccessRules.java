package io.evenkeel.access;

import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which rights callers have. Immutable. */
final class AccessRules {
    /** The rules of a server without an access file: every authenticated caller may do everything. */
    static final AccessRules ALL_TO_THE_KNOWN = new AccessRules(null);

    private final @Nullable Map<Subject, Set<Right>> rights;

    private AccessRules(@Nullable Map<Subject, Set<Right>> rights) {
        this.rights = rights;
    }

    static AccessRules of(Map<Subject, Set<Right>> rights) {
        Map<Subject, Set<Right>> copy = new HashMap<>();
        rights.forEach((subject, some) -> copy.put(subject, EnumSet.copyOf(some)));
        return new AccessRules(copy);
    }

    /** Whether a caller with these subjects has the right. */
    boolean allow(Collection<Subject> caller, Right right) {
        if (rights == null) {
            return caller.stream().anyMatch(subject -> subject.kind() != Subject.Kind.SOCKET);
        }
        for (Subject subject : caller) {
            Set<Right> some = rights.get(subject);
            if (some != null && some.contains(right)) {
                return true;
            }
        }
        return false;
    }
}
