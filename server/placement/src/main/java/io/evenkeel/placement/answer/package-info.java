/**
 * Answers Filter, Score, Evaluate and WhatIf: from plans to the bytes of a response.
 * {@link io.evenkeel.placement.answer.EvaluateHandler} and {@link io.evenkeel.placement.answer.WhatIfHandler} ask the
 * engine; a form (readable, packed, best nodes only) writes each answer.
 */
@NullMarked
package io.evenkeel.placement.answer;

import org.jspecify.annotations.NullMarked;
