/** A server shown at work: on a generated cluster, on little ones whose answers are known, and on a real one. */
@NullMarked
package io.evenkeel.loadtest.demo;

import org.jspecify.annotations.NullMarked;
