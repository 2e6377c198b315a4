package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of Filter, Score or Evaluate.
 *
 * @param freshness what it demands of the state; the default instance demands nothing
 * @param knownNodeTableToken the node table that the caller knows; null where the answer need not tell of it
 * @param overlay how the cluster is changed in thought
 * @param session the session that is asked; empty: the live state
 * @param source the bytes of the message that it was read from, which may be one of EvaluateStream
 */
public record PodQuery(
        Kind kind,
        List<RequestedPod> pods,
        ResolvedOptions options,
        Freshness freshness,
        @Nullable String knownNodeTableToken,
        OverlayReader.Read overlay,
        String session,
        ByteString source) {
    /** The call: what the answer says of each pod. */
    public enum Kind {
        FILTER,
        SCORE,
        EVALUATE
    }

    /**
     * The query of a parsed request. The requests of all kinds have the same fields.
     *
     * @param mostOverlaid the most entries of each list of an overlay
     * @param source the bytes that the request was parsed from
     */
    static PodQuery of(Kind kind, EvaluateRequest request, int mostOverlaid, ByteString source) {
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
                request.hasOverlay() ? OverlayReader.read(request.getOverlay(), mostOverlaid) : OverlayReader.Read.NONE,
                request.getSession(),
                source);
    }
}
