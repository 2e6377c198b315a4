/** How fast a cluster is fed, to the engine itself and through {@code Sync}, and what it costs in memory. */
@NullMarked
package io.evenkeel.loadtest.feed;

import org.jspecify.annotations.NullMarked;
