package io.evenkeel.placement.call;

import com.google.protobuf.Duration;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
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
        Set<ObjectKind> kinds =
                ObjectKinds.ofVersions(demanded.getResourceVersionsList(), false, "freshness.resourceVersions");
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
}
