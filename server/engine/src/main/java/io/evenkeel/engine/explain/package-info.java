/**
 * Explains an answer: its figures and causes for each constraint, domain and node. A plan and a question come in; an
 * {@link io.evenkeel.engine.explain.Explanation} of values goes out, which other modules turn into text. It is made
 * from copies, so the lock is held only briefly.
 */
@NullMarked
package io.evenkeel.engine.explain;

import org.jspecify.annotations.NullMarked;
