package io.evenkeel.placement.call;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.KindVersion;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The versions up to which a query demands every event, by kind of object. */
final class DemandedVersions {
    private final ObjectKind[] kinds;
    private final long[] versions;

    /** @throws RequestException where a kind or a version is wrong */
    DemandedVersions(List<KindVersion> demanded) {
        Map<ObjectKind, Long> byKind = ObjectKinds.ofVersions(demanded, false, FreshnessDemands.VERSIONS);
        kinds = byKind.keySet().toArray(ObjectKind[]::new);
        versions = byKind.values().stream().mapToLong(Long::longValue).toArray();
    }

    boolean isEmpty() {
        return kinds.length == 0;
    }

    /** Whether a state holds every event up to these versions. */
    boolean areHeldBy(KindVersions state) {
        for (int i = 0; i < kinds.length; i++) {
            if (state.held(kinds[i]) < versions[i]) {
                return false;
            }
        }
        return true;
    }

    /** Whether it is known of each of the kinds what a state holds. */
    boolean areKnownBy(KindVersions state) {
        for (ObjectKind kind : kinds) {
            if (state.held(kind) == 0) {
                return false;
            }
        }
        return true;
    }

    /** The kinds of which a state does not hold all that is demanded. */
    Set<ObjectKind> missingFrom(KindVersions state) {
        Set<ObjectKind> missing = EnumSet.noneOf(ObjectKind.class);
        for (int i = 0; i < kinds.length; i++) {
            if (state.held(kinds[i]) < versions[i]) {
                missing.add(kinds[i]);
            }
        }
        return missing;
    }

    /** The kinds for which a condition holds. */
    Set<ObjectKind> kindsWhere(Predicate<ObjectKind> condition) {
        return Arrays.stream(kinds)
                .filter(condition)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(ObjectKind.class)));
    }

    /** The version that is demanded of a kind, for a message. */
    long of(ObjectKind kind) {
        return versions[List.of(kinds).indexOf(kind)];
    }
}
