package io.evenkeel.engine.index;

/** What makes two conditions on nodes one. Its hash is keyed: callers choose what it is made of. */
interface ConditionKey {}
