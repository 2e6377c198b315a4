/**
 * What only the developers of Evenkeel run: measurements on a real control plane, the race of schedulers, starts, and
 * how long the engine's lock is held. It needs a checkout, and is not part of the archive that is installed.
 */
@NullMarked
package io.evenkeel.lab;

import org.jspecify.annotations.NullMarked;
