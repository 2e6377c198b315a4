package io.evenkeel.placement.query;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TimeLimit;
import org.jspecify.annotations.Nullable;

/**
 * An EvaluateStream request.
 *
 * @param tag copied to the response
 * @param limit how long the answer may take
 * @param refusal the error that kept the request from being read; null if it was read, and only then {@code query} can
 *     be used
 */
public record StreamQuery(
        PodQuery query, long tag, TimeLimit limit, @Nullable RequestException refusal) {}
