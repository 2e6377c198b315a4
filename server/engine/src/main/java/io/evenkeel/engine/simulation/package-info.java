/**
 * Hypothetical clusters that persist between questions: a fork of an engine, changed step by step, with changes that
 * can be reverted.
 */
@NullMarked
package io.evenkeel.engine.simulation;

import org.jspecify.annotations.NullMarked;
