/** Distinct sets of labels, by namespace, and which selectors match them. */
@NullMarked
package io.evenkeel.engine.labels;

import org.jspecify.annotations.NullMarked;
