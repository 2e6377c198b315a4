package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import io.evenkeel.placement.call.Request;
import io.evenkeel.v1.Freshness;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Filter, Score or Evaluate request.
 *
 * @param freshness how new the state must be; the default instance accepts any state
 * @param knownNodeTableToken the node table that the caller knows; null if the answer need not contain its changes
 * @param overlay the changes that make up the hypothetical cluster; null if there are none
 * @param session the session to query; empty means the live state
 * @param source the bytes of the message that contained it, which may be one of EvaluateStream
 */
public record PodQuery(
        Kind kind,
        List<PodPlans.Requested> pods,
        ResolvedOptions options,
        Freshness freshness,
        @Nullable String knownNodeTableToken,
        OverlayReader.@Nullable Read overlay,
        String session,
        ByteString source)
        implements Request {
    /** The call, which determines the content of the answers. */
    public enum Kind {
        FILTER,
        SCORE,
        EVALUATE
    }
}
