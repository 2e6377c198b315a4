/**
 * Converts events and snapshots from bytes into changes of the engine. {@link io.evenkeel.placement.change.Feeder}
 * applies the changes of Sync and Apply messages in slices. Each rejected object is reported with its name and the rule
 * that it violates.
 */
@NullMarked
package io.evenkeel.placement.change;

import org.jspecify.annotations.NullMarked;
