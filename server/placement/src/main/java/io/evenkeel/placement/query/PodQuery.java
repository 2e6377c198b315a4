package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import io.evenkeel.placement.call.Request;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Filter, Score or Evaluate request.
 *
 * @param freshness how new the state must be; the default instance accepts any state
 * @param knownNodeTableToken the node table that the caller knows; null if the answer need not contain its changes
 * @param overlay the changes that make up the hypothetical cluster
 * @param session the session to query; empty means the live state
 * @param source the bytes of the message that contained it, which may be one of EvaluateStream
 */
public record PodQuery(
        Kind kind,
        List<RequestedPod> pods,
        ResolvedOptions options,
        Freshness freshness,
        @Nullable String knownNodeTableToken,
        OverlayReader.Read overlay,
        String session,
        ByteString source)
        implements Request {
    /** The call, which determines the content of the answers. */
    public enum Kind {
        FILTER,
        SCORE,
        EVALUATE
    }

    /**
     * The query of a parsed request. Requests of all kinds have the same fields.
     *
     * @param maxOverlaid the maximum length of each list of an overlay
     * @param source the bytes of the request
     */
    static PodQuery of(Kind kind, EvaluateRequest request, int maxOverlaid, ByteString source) {
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
                request.hasOverlay() ? OverlayReader.read(request.getOverlay(), maxOverlaid) : OverlayReader.Read.NONE,
                request.getSession(),
                source);
    }
}
