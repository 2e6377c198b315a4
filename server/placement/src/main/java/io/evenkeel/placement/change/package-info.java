/**
 * Turns events and snapshots, from their bytes, into changes of the engine. Messages of Sync and Apply come in;
 * {@link io.evenkeel.placement.change.Feeder} applies their changes in slices; refusals come out, each with the
 * object's name and the rule that it breaks.
 */
@NullMarked
package io.evenkeel.placement.change;

import org.jspecify.annotations.NullMarked;
