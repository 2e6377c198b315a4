package io.evenkeel.engine.index;

/**
 * The key by which equal conditions on nodes share one predicate. Its hash is keyed, because callers choose its
 * contents.
 */
interface ConditionKey {}
