package io.evenkeel.engine.skew;

import io.evenkeel.engine.model.KindVersions;
import java.util.List;
import java.util.Set;

/**
 * How the pods of workloads are spread in one state.
 *
 * @param versions how current the state of each kind of object is; must not be changed
 * @param namespaces all namespaces that have pods
 * @param workloads in no particular order
 * @param known for the next survey of the same engine
 */
public record SurveyedWorkloads(
        long revision,
        KindVersions versions,
        Set<String> namespaces,
        List<WorkloadCounts> workloads,
        KnownWorkloads known) {}
