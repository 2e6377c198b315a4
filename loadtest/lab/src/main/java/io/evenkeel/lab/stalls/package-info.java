/**
 * Measures how long the engine's lock is held while large work is done, and how long a caller who asks again and again
 * waits meanwhile.
 */
@NullMarked
package io.evenkeel.lab.stalls;

import org.jspecify.annotations.NullMarked;
