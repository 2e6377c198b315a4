package io.evenkeel.placement.call;

import com.google.protobuf.Duration;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ObjectKind;
import java.util.EnumSet;
import java.util.Set;

/**
 * Checks what queries demand of the state. No feed tells resource versions or ages yet, so only a revision of the live
 * state can be demanded.
 */
final class FreshnessDemands {
    private FreshnessDemands() {}

    /** Whether nothing but a revision of the live state is demanded. */
    static boolean isRevisionOnly(Freshness demanded) {
        return demanded.getResourceVersionsCount() == 0
                && demanded.getMaxAge().equals(Duration.getDefaultInstance())
                && demanded.getRevision().getSession().isEmpty();
    }

    /** Refuses other demands: by their fields where these are wrong, otherwise because no feed tells enough. */
    static void requireRevisionOnly(Freshness demanded) {
        Set<ObjectKind> kinds = EnumSet.noneOf(ObjectKind.class);
        for (int i = 0; i < demanded.getResourceVersionsCount(); i++) {
            requireValid(demanded.getResourceVersions(i), kinds, "freshness.resourceVersions[" + i + "]");
        }
        WireDurations.requireValid(demanded.getMaxAge(), "freshness.maxAge");
        if (!demanded.getRevision().getSession().isEmpty()) {
            throw RequestException.sessionUnknown(demanded.getRevision().getSession(), "freshness.revision.session");
        }
        boolean aged = !demanded.getMaxAge().equals(Duration.getDefaultInstance());
        if (aged || !kinds.isEmpty()) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                    aged
                            ? "no feed of this server tells when it was heard of last (freshness.maxAge)"
                            : "no feed of this server tells resource versions (freshness.resourceVersions)");
        }
    }

    private static void requireValid(KindVersion version, Set<ObjectKind> before, String field) {
        ObjectKind kind = version.getKind();
        if (kind == ObjectKind.OBJECT_KIND_UNSPECIFIED || kind == ObjectKind.UNRECOGNIZED) {
            throw RequestException.invalid(field + ".kind", "must be one of the kinds, was " + version.getKindValue());
        }
        if (!before.add(kind)) {
            throw RequestException.invalid(field + ".kind", "must not be named twice, was " + kind);
        }
        ResourceVersions.requireValid(version.getResourceVersion(), field + ".resourceVersion");
    }
}
