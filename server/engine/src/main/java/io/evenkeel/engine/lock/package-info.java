/**
 * Who may read or write when, and how long work gives way: the lock, its slices of time, and calls that are given up.
 */
@NullMarked
package io.evenkeel.engine.lock;

import org.jspecify.annotations.NullMarked;
