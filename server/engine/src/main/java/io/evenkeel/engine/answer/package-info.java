/**
 * Evaluates plans: a plan and a question come in, and the passes (entry, Filter, Score, best nodes) fill an
 * {@link io.evenkeel.engine.answer.Answer}, which callers read. The passes work on sets of nodes, 64 at a time, and
 * allocate nothing.
 */
@NullMarked
package io.evenkeel.engine.answer;

import org.jspecify.annotations.NullMarked;
