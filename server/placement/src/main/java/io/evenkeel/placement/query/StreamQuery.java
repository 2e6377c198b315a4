package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import io.evenkeel.placement.call.Request;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.Freshness;
import org.jspecify.annotations.Nullable;

/**
 * An EvaluateStream request.
 *
 * @param tag copied to the response
 * @param timeout how long the answer may take; not limited if 0
 * @param refusal the error that kept the request from being read; null if it was read, and only then {@code query} can
 *     be used
 */
public record StreamQuery(
        PodQuery query,
        long tag,
        Duration timeout,
        @Nullable RequestException refusal) implements Request {
    @Override
    public Freshness freshness() {
        return query.freshness();
    }

    @Override
    public String session() {
        return query.session();
    }

    @Override
    public ByteString source() {
        return query.source();
    }
}
