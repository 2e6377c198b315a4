/**
 * Starts servers and engines for commands that were not given a server, in this process or in a separate one, and fills
 * them with generated clusters.
 */
@NullMarked
package io.evenkeel.loadtest.local;

import org.jspecify.annotations.NullMarked;
