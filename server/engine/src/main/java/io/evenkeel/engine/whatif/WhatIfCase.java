package io.evenkeel.engine.whatif;

import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.plan.PodPlan;
import java.util.Collection;

/**
 * A changed cluster, and a node to be judged in it by Filter for the plan's pod.
 *
 * @param removed pods that are gone, wherever they are
 * @param added pods that are there, each on its own node or, where it names none, on {@code node}; one with the UID of
 *     a pod of the cluster takes its place
 */
public record WhatIfCase(PodPlan plan, String node, Collection<PodKey> removed, Collection<PodObject> added) {}
