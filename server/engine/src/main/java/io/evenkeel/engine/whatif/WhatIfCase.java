package io.evenkeel.engine.whatif;

import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.plan.PodPlan;

/**
 * Asks whether the plan's pod could go to a node in a hypothetical cluster.
 *
 * @param rules which rules before the constraints are judged too
 * @param overlay the changes; pods that it adds without naming a node are put on {@code node}
 */
public record WhatIfCase(PodPlan plan, String node, EntryRules rules, Overlay overlay) {}
