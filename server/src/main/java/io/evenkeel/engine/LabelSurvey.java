package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What the nodes' labels lack of what a pod asks for. Walks over all nodes; used under the engine's lock. */
final class LabelSurvey {
    private final ClusterStore store;
    private final PodPlan plan;
    private final List<Explanation.AbsentLabel> absent;

    LabelSurvey(ClusterStore store, PodPlan plan) {
        this.store = store;
        this.plan = plan;
        absent = plan.pod().nodeSelector().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .flatMap(label -> absent(label.getKey(), label.getValue()))
                .toList();
    }

    /** The labels of the pod's nodeSelector that no node carries. */
    List<Explanation.AbsentLabel> absent() {
        return absent;
    }

    /** The label keys of all nodes and how many nodes carry each; empty where each topology key and each label of the nodeSelector is carried by some. */
    SortedMap<String, Integer> keysIfNeeded() {
        SortedMap<String, Integer> keys = new TreeMap<>();
        if (!absent.isEmpty()
                || Stream.of(plan.hard, plan.soft).flatMap(Arrays::stream).anyMatch(this::isUncarried)) {
            Map<Integer, Integer> nodesOfKey = new TreeMap<>();
            for (int[] labels : labelsOfNodes()) {
                for (int i = 0; i < labels.length; i += 2) {
                    nodesOfKey.merge(labels[i], 1, Integer::sum);
                }
            }
            nodesOfKey.forEach((key, nodes) -> keys.put(store.strings.get(key), nodes));
        }
        return keys;
    }

    private boolean isUncarried(PlannedConstraint constraint) {
        long[] carriers = constraint.label().carriers();
        return NodeBits.cardinality(carriers, carriers.length) == 0;
    }

    private Stream<Explanation.AbsentLabel> absent(String key, String value) {
        int keyId = store.strings.find(key);
        SortedSet<String> values = new TreeSet<>();
        if (keyId != StringTable.NONE) {
            for (int[] labels : labelsOfNodes()) {
                int id = LabelIds.valueOf(labels, keyId);
                if (id != StringTable.NONE) {
                    values.add(store.strings.get(id));
                }
            }
        }
        return values.contains(value)
                ? Stream.empty()
                : Stream.of(new Explanation.AbsentLabel(
                        key,
                        value,
                        values.stream()
                                .limit(Explanation.AbsentLabel.MAX_VALUES)
                                .toList()));
    }

    private List<int[]> labelsOfNodes() {
        List<int[]> labels = new ArrayList<>(store.nodes.size());
        for (int slot = 0; slot < store.nodes.limit(); slot++) {
            if (store.nodes.isKnown(slot)) {
                labels.add(store.nodes.attributes(slot).labels());
            }
        }
        return labels;
    }
}
