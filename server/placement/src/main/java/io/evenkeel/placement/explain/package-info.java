/** Explains the answer for one pod in words, and advises what would help. */
@NullMarked
package io.evenkeel.placement.explain;

import org.jspecify.annotations.NullMarked;
