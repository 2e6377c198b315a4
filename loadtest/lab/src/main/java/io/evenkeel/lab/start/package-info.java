/** Measures the first second of a server that has just got its cluster. */
@NullMarked
package io.evenkeel.lab.start;

import org.jspecify.annotations.NullMarked;
