/**
 * Measures how long large work holds the engine's lock, and how long a caller that sends queries continuously waits
 * meanwhile.
 */
@NullMarked
package io.evenkeel.lab.stalls;

import org.jspecify.annotations.NullMarked;
