/**
 * Starts servers and engines, in this process or a separate one, for commands that were not given a server, and fills
 * them with generated clusters.
 */
@NullMarked
package io.evenkeel.loadtest.local;

import org.jspecify.annotations.NullMarked;
