/**
 * The warm-up of a server that starts: it asks and feeds a small server of its own, so that code is compiled before the
 * first caller comes. {@link io.evenkeel.warmup.WarmUp} says when; {@code SmallCluster} and {@code UsualCalls} are what
 * is sent, and {@code Caller} sends it.
 */
@NullMarked
package io.evenkeel.warmup;

import org.jspecify.annotations.NullMarked;
