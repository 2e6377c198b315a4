/**
 * Carries out a plan of moves: evicts pods of an API server a few at a time, awaits their replacements, and plans
 * again. Only commands use it; the server evicts nothing.
 */
@NullMarked
package io.evenkeel.eviction;

import org.jspecify.annotations.NullMarked;
