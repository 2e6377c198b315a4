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

/** The resource versions that a query demands, by kind of object: the state must contain every event up to them. */
final class DemandedVersions {
    private final ObjectKind[] kinds;
    private final long[] versions;

    /** @throws RequestException if a kind or a version is invalid */
    DemandedVersions(List<KindVersion> demanded) {
        Map<ObjectKind, Long> byKind = ObjectKinds.ofVersions(demanded, false, FreshnessDemands.VERSIONS);
        kinds = byKind.keySet().toArray(ObjectKind[]::new);
        versions = byKind.values().stream().mapToLong(Long::longValue).toArray();
    }

    boolean isEmpty() {
        return kinds.length == 0;
    }

    /** True if a state contains every event up to these versions. */
    boolean areHeldBy(KindVersions state) {
        for (int i = 0; i < kinds.length; i++) {
            if (state.held(kinds[i]) < versions[i]) {
                return false;
            }
        }
        return true;
    }

    /** True if the held version of each demanded kind is known. */
    boolean areKnownBy(KindVersions state) {
        for (ObjectKind kind : kinds) {
            if (state.held(kind) == 0) {
                return false;
            }
        }
        return true;
    }

    /** The kinds that a state does not contain up to the demanded version. */
    Set<ObjectKind> missingFrom(KindVersions state) {
        Set<ObjectKind> missing = EnumSet.noneOf(ObjectKind.class);
        for (int i = 0; i < kinds.length; i++) {
            if (state.held(kinds[i]) < versions[i]) {
                missing.add(kinds[i]);
            }
        }
        return missing;
    }

    /** The demanded kinds that match a condition. */
    Set<ObjectKind> kindsWhere(Predicate<ObjectKind> condition) {
        return Arrays.stream(kinds)
                .filter(condition)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(ObjectKind.class)));
    }

    /** The demanded version of a kind, for a message. */
    long of(ObjectKind kind) {
        return versions[List.of(kinds).indexOf(kind)];
    }
}
