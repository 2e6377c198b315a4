package io.evenkeel.placement.query;

import io.evenkeel.placement.call.TimeLimit;

/**
 * A request of EvaluateStream.
 *
 * @param tag given back in the response
 * @param limit how long the answer may take
 */
public record StreamQuery(PodQuery query, long tag, TimeLimit limit) {}
