package io.evenkeel.placement.call;

import com.google.protobuf.Duration;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Revision;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks the freshness that queries demand in addition to a revision. Thread-safe. */
final class FreshnessDemands {
    static final String VERSIONS = "freshness.resourceVersions";

    private final Supplier<KindVersions> versions;
    private final Feeds feeds;

    /** @param versions the current versions of the state */
    FreshnessDemands(Supplier<KindVersions> versions, Feeds feeds) {
        this.versions = versions;
        this.feeds = feeds;
    }

    /** The current versions of the state. */
    KindVersions now() {
        return versions.get();
    }

    /**
     * True if the demands are met now.
     *
     * @throws RequestException if waiting cannot help
     */
    boolean areMet(Freshness demanded) {
        DemandedVersions wanted = new DemandedVersions(demanded.getResourceVersionsList());
        WireDurations.requireValid(demanded.getMaxAge(), "freshness.maxAge");
        feeds.requireReady();
        if (!demanded.getMaxAge().equals(Duration.getDefaultInstance())) {
            feeds.requireHeardWithin(WireDurations.of(demanded.getMaxAge()), ObjectKind.OF_PLACEMENT);
        }
        if (wanted.isEmpty()) {
            return true;
        }
        KindVersions state = now();
        RequestException unknown = unknown(wanted, state);
        if (unknown != null) {
            throw unknown;
        }
        return wanted.areHeldBy(state);
    }

    /** The error if it is unknown whether a state meets the demands; null if it is known. */
    @Nullable
    RequestException unknown(DemandedVersions wanted, KindVersions state) {
        if (wanted.areKnownBy(state)) {
            return null;
        }
        Set<ObjectKind> unknown = wanted.kindsWhere(kind -> state.held(kind) == 0);
        Set<ObjectKind> full = wanted.kindsWhere(kind -> feeds.of(kind).isFull());
        return full.containsAll(unknown)
                ? unknown(
                        unknown,
                        "some objects of " + ObjectKinds.names(unknown)
                                + " were rejected for lack of room; waiting for a snapshot without rejected objects")
                : unknown(
                        unknown,
                        "no feed of this server has reported resource versions of " + ObjectKinds.names(unknown));
    }

    private static RequestException unknown(Set<ObjectKind> kinds, String message) {
        return RequestException.ofKinds(
                ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN, message + " (" + VERSIONS + ")", kinds);
    }

    /** The error if a state does not meet the demands; null if it does. */
    @Nullable
    RequestException unmet(DemandedVersions wanted, KindVersions state, Revision reached) {
        RequestException unknown = unknown(wanted, state);
        if (unknown != null || wanted.areHeldBy(state)) {
            return unknown;
        }
        Set<ObjectKind> missing = wanted.missingFrom(state);
        String each = missing.stream()
                .map(kind -> "version " + wanted.of(kind) + " of " + kind + " was not reached in time: its feed is at "
                        + state.held(kind))
                .collect(Collectors.joining("; "));
        return RequestException.notReached(each + " (" + VERSIONS + ")", reached, missing);
    }
}
