package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.List;

/**
 * The constraints of a shape that count only its own pods of all that are pending, so that closed forms apply.
 *
 * @param zones those whose domains have several nodes
 * @param hosts those with one domain per node
 * @param isExact whether these are all constraints of the shape, and at most one of each kind
 */
record OwnConstraints(List<HardConstraint> zones, List<HardConstraint> hosts, boolean isExact) {
    static OwnConstraints of(Ground ground, int shape) {
        List<HardConstraint> zones = new ArrayList<>();
        List<HardConstraint> hosts = new ArrayList<>();
        List<HardConstraint> all = ground.problem.shapes().get(shape).constraints;
        for (HardConstraint constraint : all) {
            CountedPods counted = ground.problem.counted().get(constraint.counted());
            if (constraint.selfMatch() && counted.shapes.get(shape) && counted.shapes.cardinality() == 1) {
                (ground.perNode[counted.key] ? hosts : zones).add(constraint);
            }
        }
        boolean isExact = zones.size() + hosts.size() == all.size() && zones.size() <= 1 && hosts.size() <= 1;
        return new OwnConstraints(List.copyOf(zones), List.copyOf(hosts), isExact);
    }

    ShapeLevels levels(Trial trial, int shape, int pods) {
        return new ShapeLevels(
                trial, shape, pods, zones.isEmpty() ? null : zones.get(0), hosts.isEmpty() ? null : hosts.get(0));
    }

    FewestNodes fewestNodes(Ground ground, int shape, int pods) {
        return new FewestNodes(
                ground, shape, pods, zones.isEmpty() ? null : zones.get(0), hosts.isEmpty() ? null : hosts.get(0));
    }
}
