/**
 * Decides which threads may read or write the engine at a time, and for how long: the lock, the slices of time in which
 * long work is done, and the signal that stops a call whose result is no longer needed. It knows nothing about what the
 * lock guards.
 */
@NullMarked
package io.evenkeel.engine.lock;

import org.jspecify.annotations.NullMarked;
