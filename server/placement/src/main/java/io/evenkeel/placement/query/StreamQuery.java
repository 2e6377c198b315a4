package io.evenkeel.placement.query;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TimeLimit;
import org.jspecify.annotations.Nullable;

/**
 * A request of EvaluateStream.
 *
 * @param tag given back in the response
 * @param limit how long the answer may take
 * @param refusal why the request was not read; null where it was, and only then the query means anything
 */
public record StreamQuery(
        PodQuery query, long tag, TimeLimit limit, @Nullable RequestException refusal) {}
