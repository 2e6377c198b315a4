/** Measures the first second after a server has received its cluster. */
@NullMarked
package io.evenkeel.lab.start;

import org.jspecify.annotations.NullMarked;
