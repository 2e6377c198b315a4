/** Everything that an answer rests on, node by node and domain by domain, for people. */
@NullMarked
package io.evenkeel.engine.explain;

import org.jspecify.annotations.NullMarked;
