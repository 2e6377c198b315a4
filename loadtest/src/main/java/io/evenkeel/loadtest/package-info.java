/** Benchmarks, load generation, and other commands that need a client. */
@NullMarked
package io.evenkeel.loadtest;

import org.jspecify.annotations.NullMarked;
