/** From the bytes of an event or a snapshot to changes of the engine. */
@NullMarked
package io.evenkeel.placement.change;

import org.jspecify.annotations.NullMarked;
