/** Verdicts on a cluster that is changed in thought: some pods gone, others there. */
@NullMarked
package io.evenkeel.engine.whatif;

import org.jspecify.annotations.NullMarked;
