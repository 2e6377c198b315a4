/**
 * The warm-up of a starting server: it calls and feeds a small separate server, so that code is compiled before the
 * first caller comes. {@link io.evenkeel.warmup.WarmUp} controls it; {@code WarmUpCalls} makes the calls, about a
 * {@code SmallCluster}. Only {@link io.evenkeel.warmup.PreparedParts} acts on the real server: it prepares what first
 * queries share, before there is a cluster.
 */
@NullMarked
package io.evenkeel.warmup;

import org.jspecify.annotations.NullMarked;
