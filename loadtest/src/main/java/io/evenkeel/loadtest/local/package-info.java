/** Servers and engines of this process, for commands that are not told of another. */
@NullMarked
package io.evenkeel.loadtest.local;

import org.jspecify.annotations.NullMarked;
