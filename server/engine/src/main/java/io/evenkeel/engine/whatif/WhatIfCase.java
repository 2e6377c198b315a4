package io.evenkeel.engine.whatif;

import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.plan.PodPlan;
import java.util.Collection;

/**
 * Asks whether the plan's pod could go to a node if some pods were removed and others added.
 *
 * @param removed the pods to remove, wherever they are
 * @param added the pods to add, each on its own node or, where it names none, on {@code node}; a pod with the UID of a
 *     pod of the cluster replaces it
 */
public record WhatIfCase(PodPlan plan, String node, Collection<PodKey> removed, Collection<PodObject> added) {}
