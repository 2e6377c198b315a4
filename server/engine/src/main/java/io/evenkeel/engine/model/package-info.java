/**
 * The values that flow into the engine and out of it: nodes, pods and owners that callers report; the incoming pod with
 * its constraints and selectors; verdicts and reasons. They are immutable. They know the rules of Kubernetes that apply
 * to them, but nothing about the index. {@link io.evenkeel.engine.model.PodRecord} and
 * {@link io.evenkeel.engine.model.Uid}, which are reused for speed, are the exceptions.
 */
@NullMarked
package io.evenkeel.engine.model;

import org.jspecify.annotations.NullMarked;
