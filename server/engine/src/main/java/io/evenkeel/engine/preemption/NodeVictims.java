package io.evenkeel.engine.preemption;

import java.util.List;

/**
 * A node that accepts the incoming pod once some of its pods are removed.
 *
 * @param victims these pods, the most important first: by descending priority, and then by when they started
 * @param violations how many of the victims exceed a disruption budget
 * @param prioritySum the sum of the victims' priorities, to each of which 2<sup>31</sup> is added, so that none is
 *     negative
 * @param earliestStart when the first of the victims with the highest priority started, in seconds since 1970; 0 if
 *     none of them is known to have started
 */
public record NodeVictims(String node, List<Victim> victims, int violations, long prioritySum, long earliestStart) {}
