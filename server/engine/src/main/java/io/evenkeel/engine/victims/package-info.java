/** In which order the pods of a controller are best deleted, so that its constraints stay satisfied. */
@NullMarked
package io.evenkeel.engine.victims;

import org.jspecify.annotations.NullMarked;
