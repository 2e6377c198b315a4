/**
 * Estimates how many new nodes pending pods need, and finds a place for a group of pods.
 *
 * <p>A {@link io.evenkeel.engine.estimate.Problem} is a value: free capacity, domains and counts as numbers. The
 * package knows neither the index nor Kubernetes objects, so a problem may describe the cluster as it is or a
 * hypothetical one.
 *
 * <pre>
 *   Problem ──► Ground ──► Estimator ──► Trial(new nodes) ──► Fill: ShapeQueue by ShapeQueue ──► Plan: ordered steps
 *   (values)    (what all   │   ▲         counts, minima,      (each step passes Filter)
 *               trials      │   │         free capacity   ──► Fill: ShapeLevels               ──► Plan: an end state
 *               share)      ▼   │
 *                        Bounds, ShapeLevels: what no plan can beat
 * </pre>
 *
 * <p>An end state can satisfy every constraint although placing one pod at a time never reaches it, so a
 * {@link io.evenkeel.engine.estimate.Plan} says whether its steps are in an order that the scheduler's Filter admits.
 */
@NullMarked
package io.evenkeel.engine.estimate;

import org.jspecify.annotations.NullMarked;
