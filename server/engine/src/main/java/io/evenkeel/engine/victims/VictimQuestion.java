package io.evenkeel.engine.victims;

import io.evenkeel.engine.skew.WorkloadName;
import java.util.Map;

/**
 * Which pods are to be deleted.
 *
 * @param workload a controller of pods, or a workload above it
 * @param count how many pods; all if there are fewer
 * @param stages by pod name: the stage in which its controller deletes it, from 0; all pods of a stage come before
 *     those of the next one, and those that are not named come last
 */
public record VictimQuestion(WorkloadName workload, int count, Map<String, Integer> stages) {}
