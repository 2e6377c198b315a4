/**
 * Measures how fast a cluster and its events are fed, to the engine directly and through {@code Sync}, and how much
 * memory they take.
 */
@NullMarked
package io.evenkeel.loadtest.feed;

import org.jspecify.annotations.NullMarked;
