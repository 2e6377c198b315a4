/** Benchmarks of what is not public in the server's package of this name. */
@NullMarked
package io.evenkeel.placement;

import org.jspecify.annotations.NullMarked;
