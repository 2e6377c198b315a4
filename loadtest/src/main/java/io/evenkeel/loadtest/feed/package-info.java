/**
 * Measures how fast a cluster and its events can be fed, directly to the engine and through {@code Sync}, and how much
 * memory they need.
 */
@NullMarked
package io.evenkeel.loadtest.feed;

import org.jspecify.annotations.NullMarked;
