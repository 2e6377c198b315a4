/**
 * How long the engine's lock is held while something large is done, and how long a caller who asks without pause waits
 * meanwhile.
 */
@NullMarked
package io.evenkeel.loadtest.stalls;

import org.jspecify.annotations.NullMarked;
