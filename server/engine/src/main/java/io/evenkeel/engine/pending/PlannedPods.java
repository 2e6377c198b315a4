package io.evenkeel.engine.pending;

import io.evenkeel.engine.plan.PodPlan;

/**
 * Pending pods that are alike.
 *
 * @param plan the plan for one of them; its pod has all labels, because other pods' selectors may match them
 * @param count how many there are, at least 0
 */
public record PlannedPods(PodPlan plan, int count) {}
