/**
 * The demo shows a server at work on a generated cluster, on small clusters whose answers are known, and on a real
 * cluster. Each section prints its part and checks its claims.
 */
@NullMarked
package io.evenkeel.loadtest.demo;

import org.jspecify.annotations.NullMarked;
