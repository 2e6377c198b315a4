/**
 * The warm-up of a server that starts: it asks and feeds a small server of its own, so that code is compiled before the
 * first caller comes. {@link io.evenkeel.warmup.WarmUp} says when; {@code SmallCluster} and {@code UsualCalls} are what
 * is sent, and {@code WarmUpFeeder} and {@code WarmUpCaller} send it. {@link io.evenkeel.warmup.PreparedParts} alone
 * reaches the server that starts: it makes what first questions share, before there is a cluster.
 */
@NullMarked
package io.evenkeel.warmup;

import org.jspecify.annotations.NullMarked;
