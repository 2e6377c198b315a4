/** Benchmarks, load generation, and the commands that need a client. */
@NullMarked
package io.evenkeel.loadtest;

import org.jspecify.annotations.NullMarked;
