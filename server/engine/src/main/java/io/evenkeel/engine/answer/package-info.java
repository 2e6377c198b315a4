/** The passes that answer for a plan: entry, Filter, Score, and the best nodes. */
@NullMarked
package io.evenkeel.engine.answer;

import org.jspecify.annotations.NullMarked;
