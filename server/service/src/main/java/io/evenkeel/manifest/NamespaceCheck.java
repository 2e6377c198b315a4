package io.evenkeel.manifest;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a pod is asked about in the wrong namespace: no pod counts there, but pods of other namespaces
 * match its constraints. Keeps each distinct set of labels of a namespace, up to a limit.
 */
public final class NamespaceCheck {
    private static final int MAX_LABEL_SETS = 100_000;
    private static final int MAX_NAMED = 3;

    /** How many pods of a namespace have a set of labels. */
    private final Map<String, Map<Map<String, String>, Integer>> podsOf = new HashMap<>();

    private int labelSets;

    /** @param pod a pod of the cluster that is neither finished nor terminating */
    void look(Pod pod) {
        Map<Map<String, String>, Integer> pods =
                podsOf.computeIfAbsent(pod.getMetadata().getNamespace(), namespace -> new HashMap<>());
        Map<String, String> labels = pod.getMetadata().getLabelsMap();
        if (labelSets < MAX_LABEL_SETS || pods.containsKey(labels)) {
            labelSets += pods.merge(labels, 1, Integer::sum) == 1 ? 1 : 0;
        }
    }

    /**
     * The warning that the pods of other namespaces do not count; null if there is no reason for it.
     *
     * @param response the explanation for {@code pod}, with all domains
     */
    @Nullable
    public String warning(IncomingPod pod, ExplainResponse response) {
        if (response.getDefaulted()) {
            return null;
        }
        for (ConstraintExplanation constraint : response.getConstraintsList()) {
            boolean counts = constraint.getDomainsList().stream()
                    .mapToLong(DomainExplanation::getMatchingPodCount)
                    .anyMatch(pods -> pods > 0);
            PodSelector selector = selector(pod, pod.constraints().get(constraint.getIndex()));
            if (!counts && !selector.isEmpty()) {
                Map<String, Integer> elsewhere = matching(selector, pod.namespace());
                if (!elsewhere.isEmpty()) {
                    return "no pod in the namespace " + pod.namespace() + " counts for constraint ["
                            + constraint.getIndex() + "], but pods in other namespaces match its selector: "
                            + names(elsewhere) + "; only pods in the pod's own namespace count";
                }
            }
        }
        return null;
    }

    private static PodSelector selector(IncomingPod pod, SpreadConstraint constraint) {
        PodSelector selector = constraint.selector();
        if (selector == null || selector.isEmpty()) {
            return PodSelector.EMPTY;
        }
        List<LabelRequirement> all = new ArrayList<>(selector.requirements());
        for (String key : constraint.matchLabelKeys()) {
            String value = pod.labels().get(key);
            if (value != null) {
                all.add(LabelRequirement.equal(key, value));
            }
        }
        return new PodSelector(all);
    }

    /** How many pods match in each other namespace. */
    private Map<String, Integer> matching(PodSelector selector, String exceptIn) {
        Map<String, Integer> matching = new TreeMap<>();
        podsOf.forEach((namespace, pods) -> pods.forEach((labels, count) -> {
            if (!namespace.equals(exceptIn) && selector.matches(labels)) {
                matching.merge(namespace, count, Integer::sum);
            }
        }));
        return matching;
    }

    private static String names(Map<String, Integer> pods) {
        String names = pods.entrySet().stream()
                .limit(MAX_NAMED)
                .map(each -> each.getValue() + " in " + each.getKey())
                .collect(Collectors.joining(", "));
        return pods.size() > MAX_NAMED ? names + " and others in " + (pods.size() - MAX_NAMED) + " more" : names;
    }
}
