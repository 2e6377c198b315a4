package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.simulation.SimulatedCluster;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.Objective;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A group of nodes of a request, validated.
 *
 * @param field its path in the request
 * @param max how many nodes may be added
 * @param price what one costs
 */
record GroupTemplate(NodeGroup group, String field, int max, long price) {
    /** With more, too few of the combinations of new nodes could be tried. */
    private static final int MAX_GROUPS = 32;

    private static final int DEFAULT_MAX = 1_000;
    private static final int HIGHEST_PRICE = 10_000;

    static List<GroupTemplate> of(List<NodeGroup> groups, Objective objective, Limits limits) {
        Limits.admit(groups.size(), MAX_GROUPS, "groups");
        Set<String> names = new HashSet<>();
        List<GroupTemplate> all = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            NodeGroup group = groups.get(i);
            String field = "groups[" + i + "]";
            String wrong = NodeNames.wrongBeforeNumbers(group.getName());
            if (wrong == null && !names.add(group.getName())) {
                wrong = "must not be the name of another group";
            }
            if (wrong != null) {
                throw RequestException.invalid(field + ".name", wrong);
            }
            int each = 1 + group.getDaemonPodsCount();
            int most = Math.max(1, Math.min(DEFAULT_MAX, limits.events() / each));
            int max = Limits.orDefault(group.getMaxCount(), most, field + ".maxCount");
            long objects = (long) max * each;
            if (objects > limits.events()) {
                throw RequestException.overLimit(
                        field + ".maxCount",
                        "must allow at most " + limits.events() + " nodes and daemon pods, allowed " + objects);
            }
            all.add(new GroupTemplate(group, field, max, price(group, objective, field + ".price")));
        }
        return all;
    }

    private static long price(NodeGroup group, Objective objective, String field) {
        return switch (objective) {
            case OBJECTIVE_UNSPECIFIED -> {
                if (group.getPrice() != 0) {
                    throw RequestException.invalid(field, "must be unset unless objective is OBJECTIVE_LEAST_COST");
                }
                yield 1;
            }
            case OBJECTIVE_LEAST_COST -> {
                int price = Limits.orDefault(group.getPrice(), 1, field);
                if (price > HIGHEST_PRICE) {
                    throw RequestException.invalid(field, "must be at most " + HIGHEST_PRICE + ", was " + price);
                }
                yield price;
            }
            case UNRECOGNIZED ->
                throw RequestException.invalid("objective", "must be OBJECTIVE_UNSPECIFIED or OBJECTIVE_LEAST_COST");
        };
    }

    /** Names for new nodes, by the lowest numbers that are not taken. */
    List<String> names(SpreadEngine engine, int count) {
        return HypotheticalObjects.newNames(engine, group.getName() + "-", count);
    }

    /** Adds nodes of the group with their daemon pods; returns the nodes. */
    List<NodeObject> addTo(SimulatedCluster cluster, HypotheticalObjects objects, List<String> names, StopSignal stop) {
        List<NodeObject> nodes = objects.nodes(group.getTemplate(), names, false, field + ".template");
        List<PodRecord> pods = new ArrayList<>();
        for (String name : names) {
            stop.check();
            for (int i = 0; i < group.getDaemonPodsCount(); i++) {
                Pod pod = group.getDaemonPods(i);
                String uid = objects.newUid();
                pods.add(HypotheticalObjects.pod(pod, uid, uid, name, field + ".daemonPods[" + i + "]"));
            }
        }
        cluster.add(nodes, pods);
        return nodes;
    }
}
