/**
 * Explains the answer for one pod in words, and advises what would help. The engine's explanation comes in, with its
 * figures for each node and constraint; an ExplainResponse comes out.
 */
@NullMarked
package io.evenkeel.placement.explain;

import org.jspecify.annotations.NullMarked;
