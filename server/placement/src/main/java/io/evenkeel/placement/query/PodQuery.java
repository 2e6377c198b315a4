package io.evenkeel.placement.query;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of Filter, Score or Evaluate.
 *
 * @param freshness what it demands of the state; the default instance demands nothing
 * @param knownNodeTableToken the node table that the caller knows; null where the answer need not tell of it
 * @param overlay pods taken off and put on; the default instance changes nothing
 * @param session the session that is asked; empty: the live state
 */
public record PodQuery(
        Kind kind,
        List<RequestedPod> pods,
        ResolvedOptions options,
        Freshness freshness,
        @Nullable String knownNodeTableToken,
        Overlay overlay,
        String session) {
    /** The call: what the answer says of each pod. */
    public enum Kind {
        FILTER,
        SCORE,
        EVALUATE
    }

    /** The query of a parsed request. The requests of all kinds have the same fields. */
    static PodQuery of(Kind kind, EvaluateRequest request) {
        List<RequestedPod> pods = new ArrayList<>(request.getPodsCount());
        for (Pod pod : request.getPodsList()) {
            pods.add(RequestedPod.of(pod));
        }
        return new PodQuery(
                kind,
                pods,
                new ResolvedOptions(request.getOptions()),
                request.getFreshness(),
                request.hasKnownNodeTableToken() ? request.getKnownNodeTableToken() : null,
                request.getOverlay(),
                request.getSession());
    }
}
