package io.evenkeel.placement.explain;

import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanation.AbsentLabel;
import io.evenkeel.engine.explain.Explanation.ConstraintState;
import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.v1.Advice;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.CountedPods;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds likely mistakes in a pod's constraints, by comparing the pod with the nodes of the cluster.
 * {@link ConstraintTrials} finds mistakes by trying changes.
 */
final class ConstraintAdvisor {
    /** Labels that controllers add to their pods, so that a manifest need not contain them. */
    private static final Set<String> GIVEN_BY_CONTROLLERS = Set.of(
            "pod-template-hash",
            "pod-template-generation",
            "controller-revision-hash",
            "statefulset.kubernetes.io/pod-name",
            "apps.kubernetes.io/pod-index",
            "batch.kubernetes.io/job-completion-index",
            "batch.kubernetes.io/job-name",
            "batch.kubernetes.io/controller-uid");

    /** Those of them that a pod from a template lacks, by the kind of its controller. */
    private static final Map<String, Set<String>> GIVEN_LATER = Map.of(
            "ReplicaSet",
            Set.of(),
            "ReplicationController",
            Set.of(),
            "DaemonSet",
            Set.of("pod-template-generation"),
            "StatefulSet",
            Set.of("statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"),
            "Job",
            Set.of("batch.kubernetes.io/job-completion-index"));

    /** The maximum number of missing keys to list. A pod may lack thousands, more than anyone would read. */
    private static final int MAX_KEYS = 16;

    private static final int MAX_WORKLOADS = 6;

    private final IncomingPod pod;
    private final boolean named;
    private final boolean ofDaemonSet;
    private final Explanation explanation;
    private final List<ConstraintExplanation> written;
    private final boolean incomplete;
    private final SimilarKeys nearNodeLabels;
    private final SimilarKeys nearPodLabels;
    private final Map<String, String> meantByPodLabel = new HashMap<>();
    private final List<Advice> advice = new ArrayList<>();
    private final List<Warning> warnings = new ArrayList<>();

    /**
     * A mistake that can be seen before there are pods, in a few words.
     *
     * @param ofNodes whether it depends on the nodes of the cluster, and not on the pod alone
     */
    record Warning(boolean ofNodes, String field, String text) {}

    /**
     * @param named whether the pod has a name; a pod without one comes from a template, and its controller will add
     *     labels
     * @param written the constraints of the explanation, as they are sent
     * @param incomplete whether there are rules that can exclude nodes for the pod and are not judged
     */
    ConstraintAdvisor(
            IncomingPod pod,
            boolean named,
            Explanation explanation,
            List<ConstraintExplanation> written,
            boolean incomplete) {
        this.incomplete = incomplete;
        this.pod = pod;
        this.named = named;
        ControllerRef controller = pod.controller();
        ofDaemonSet = controller != null && controller.kind().equals("DaemonSet");
        this.explanation = explanation;
        this.written = written;
        nearNodeLabels = new SimilarKeys(explanation.labelKeys());
        SortedMap<String, Integer> podLabels = new TreeMap<>();
        pod.labels().keySet().forEach(label -> podLabels.put(label, 1));
        nearPodLabels = new SimilarKeys(podLabels);
    }

    /** The path of the constraints: in the pod, or in the defaults. */
    static String path(Explanation explanation) {
        return explanation.fromDefaults() ? "defaultConstraints" : "spec.topologySpreadConstraints";
    }

    static String path(Explanation explanation, ConstraintState state) {
        return path(explanation) + "[" + state.index() + "]";
    }

    List<Advice> advice() {
        for (ConstraintState state : explanation.constraints()) {
            String field = path(explanation, state);
            if (!explanation.fromDefaults()) {
                lookAtSelector(state, field + ".labelSelector");
                lookAtMatchLabelKeys(state, field + ".matchLabelKeys");
                lookForTwin(state, field);
                lookForOtherWorkloads(state, field + ".labelSelector");
                lookForOwnNode(state, field);
                lookForSingleDomain(state, field + ".minDomains");
            }
            lookAtTopologyKey(state, field + ".topologyKey");
            lookAtMinDomains(state, field + ".minDomains");
        }
        explanation.conflicts().forEach(this::adviseOnConflict);
        explanation.absentLabels().forEach(this::adviseOnAbsentLabel);
        return advice;
    }

    /**
     * The mistakes that {@link #advice} has found and that need no pods to be seen, in the order of the constraints.
     */
    List<Warning> warnings() {
        return warnings;
    }

    private void lookAtSelector(ConstraintState state, String field) {
        PodSelector selector = state.selector();
        String key = state.source().topologyKey();
        if (selector == null) {
            String keysToo = state.source().matchLabelKeys().isEmpty() ? "" : " matchLabelKeys do not replace it.";
            add(
                    field,
                    "There is none, so the constraint counts no pods and " + withoutCounts(state, key) + "." + keysToo);
        } else if (selector.isEmpty()) {
            if (state.source().matchLabelKeys().stream().anyMatch(this::mayComeLater)) {
                return;
            }
            warn(false, field, "an empty selector matches no pods here, so the constraint counts nothing");
            add(
                    field,
                    "An empty selector matches no pods here, not all pods, so the constraint counts nothing and "
                            + withoutCounts(state, key) + ".");
        } else if (state.selfMatch() == 0) {
            List<LabelRequirement> unmet = selector.requirements().stream()
                    .filter(requirement -> !new PodSelector(List.of(requirement)).matches(pod.labels()))
                    .filter(requirement -> !mayComeLater(requirement.key()))
                    .toList();
            if (unmet.isEmpty()) {
                return;
            }
            warn(
                    false,
                    field,
                    "does not match the pod's own labels, because of "
                            + unmet.stream().map(SelectorText::of).collect(Collectors.joining(",")));
            add(
                    field,
                    "It does not match the pod's own labels, so placing the pod changes no count and such"
                            + " pods are not spread: "
                            + unmet.stream().map(this::unmet).collect(Collectors.joining("; ")) + ".");
        }
    }

    private boolean mayComeLater(String key) {
        ControllerRef controller = pod.controller();
        Set<String> given = controller == null
                ? GIVEN_BY_CONTROLLERS
                : GIVEN_LATER.getOrDefault(controller.kind(), GIVEN_BY_CONTROLLERS);
        return !named && given.contains(key) && !pod.labels().containsKey(key);
    }

    private static String withoutCounts(ConstraintState state, String key) {
        return state.source().hard()
                ? "excludes no node that has the label " + key
                : "scores all nodes that have the label " + key + " equally";
    }

    private String unmet(LabelRequirement requirement) {
        String value = pod.labels().get(requirement.key());
        return SelectorText.of(requirement) + " is required, the pod has "
                + (value == null ? "no label " + requirement.key() : requirement.key() + "=" + value);
    }

    private void lookAtMatchLabelKeys(ConstraintState state, String field) {
        List<String> keys = state.source().matchLabelKeys();
        int missing = 0;
        for (int i = 0; i < keys.size() && state.selector() != null; i++) {
            String key = keys.get(i);
            if (!pod.labels().containsKey(key) && !mayComeLater(key) && ++missing <= MAX_KEYS) {
                String meant = meantByPodLabel.computeIfAbsent(key, this::meantByPodLabel);
                boolean given = pod.controller() == null && GIVEN_BY_CONTROLLERS.contains(key);
                add(
                        field + "[" + i + "]",
                        "The pod has no label " + key + ", so the key is ignored."
                                + (given ? " Controllers add it to their pods, but this pod has no controller." : "")
                                + (meant.isEmpty() || given ? "" : " Did you mean " + meant + "?"));
            }
        }
        if (missing > MAX_KEYS) {
            add(field, "The pod lacks " + (missing - MAX_KEYS) + " more of these keys, which are also ignored.");
        }
    }

    /** The key that was probably meant; empty if there is none, or if too many keys were looked up. */
    private String meantByPodLabel(String key) {
        return meantByPodLabel.size() < MAX_KEYS ? Objects.requireNonNullElse(nearPodLabels.meantBy(key), "") : "";
    }

    private void lookForTwin(ConstraintState state, String field) {
        for (ConstraintState other : explanation.constraints()) {
            if (other.index() < state.index()
                    && other.source().hard() == state.source().hard()
                    && other.source().topologyKey().equals(state.source().topologyKey())) {
                add(
                        field,
                        "It repeats the topologyKey and whenUnsatisfiable of " + CauseText.name(other)
                                + ", which the API server rejects.");
                return;
            }
        }
    }

    /** True if the counts of this constraint alone exclude a node that the pod could enter. */
    static boolean holdsOff(ConstraintState state) {
        return state.admitted() < state.enteredCarriers();
    }

    /** Advises if pods of other workloads are the reason why the constraint excludes nodes. */
    private void lookForOtherWorkloads(ConstraintState state, String field) {
        if (!holdsOff(state)) {
            return;
        }
        List<CountedPods> others = written.stream()
                .filter(each -> each.getIndex() == state.index())
                .flatMap(each -> each.getCountedList().stream())
                .filter(each -> each.getRelation() == CountedPods.Relation.RELATION_OTHER_WORKLOAD
                        || each.getRelation() == CountedPods.Relation.RELATION_JOB)
                .toList();
        if (!others.isEmpty()) {
            long pods = others.stream().mapToLong(CountedPods::getPodCount).sum();
            String names = others.stream()
                    .filter(each -> !each.getName().isEmpty())
                    .map(each -> each.getKind() + " " + each.getName())
                    .distinct()
                    .limit(MAX_WORKLOADS)
                    .collect(Collectors.joining(", "));
            add(
                    field,
                    "It also matches " + pods + (pods == 1 ? " pod" : " pods") + " of other workloads (" + names
                            + "). If they should not count, add a label that only this pod's workload has.");
        }
    }

    /** The controller restricts each pod of a DaemonSet to one node by its node affinity. */
    private boolean countsOwnNodeOnly(ConstraintState state) {
        return ofDaemonSet && state.source().honorAffinity();
    }

    private void lookForOwnNode(ConstraintState state, String field) {
        if (state.source().hard() && countsOwnNodeOnly(state)) {
            warn(false, field, "a DaemonSet restricts each pod to one node, so the constraint spreads nothing");
            add(
                    field,
                    "A DaemonSet restricts each pod to one node, the only one that is eligible, so the constraint spreads"
                            + " nothing, whatever the skews are. It excludes nodes without the label "
                            + state.source().topologyKey() + ".");
        }
    }

    /** A single domain has the global minimum, so the skew after placing the pod is the self match. */
    private void lookForSingleDomain(ConstraintState state, String field) {
        if (!ofDaemonSet
                && state.source().hard()
                && state.source().minDomains() <= 1
                && state.selfMatch() > 0
                && state.eligibleDomains() == 1
                && state.enteredCarriers() > 0) {
            String domain = state.domains().isEmpty()
                    ? ""
                    : ", " + state.domains().get(0).value();
            warn(true, field, "only one domain is eligible" + domain + ", so the constraint limits nothing");
            add(
                    field,
                    "Only one domain is eligible" + domain + ", so the constraint limits nothing there: all pods may go"
                            + " to it. With minDomains: 2, it would take at most "
                            + state.source().maxSkew() + " of them until another domain is eligible.");
        }
    }

    private void lookAtTopologyKey(ConstraintState state, String field) {
        String key = state.source().topologyKey();
        boolean hard = state.source().hard();
        if (explanation.verdicts().isEmpty() || explanation.fromDefaults() && !hard) {
            return;
        }
        if (state.carriers() == 0) {
            String meant = nearNodeLabels.meantBy(key);
            warn(
                    true,
                    field,
                    "no node has this label"
                            + (meant != null
                                    ? "; did you mean " + meant + "?"
                                    : hard ? ", so the pods stay pending" : ", so the constraint has no effect"));
            add(
                    field,
                    "No node has this label, so " + (hard ? "none passes." : "scoring ignores every node.")
                            + question(meant));
        } else if (explanation.entered() > 0 && state.enteredCarriers() == 0) {
            if (hard) {
                warn(true, field, "no node that the pods can enter has this label, so they stay pending");
            }
            add(
                    field,
                    "None of the nodes that the pod can enter (" + explanation.entered() + ") has this label; "
                            + have(state.carriers()) + " it but cannot be entered.");
        } else if (hard
                && state.eligibleDomains() == 0
                && state.source().minDomains() <= 1
                && (explanation.entered() > 0 || !ofDaemonSet)
                && explanation.constraints().stream().noneMatch(ConstraintAdvisor::isWithoutNodes)) {
            warn(true, field, "no domain is eligible, so the pods stay pending");
        }
    }

    /** Whether no node has the topology key of a hard constraint, for which there is a warning. */
    private static boolean isWithoutNodes(ConstraintState state) {
        return state.source().hard() && state.carriers() == 0;
    }

    private String question(@Nullable String meant) {
        return meant == null ? "" : " Did you mean " + meant + ", which " + have(carriers(meant)) + "?";
    }

    private int carriers(String key) {
        return explanation.labelKeys().getOrDefault(key, 0);
    }

    private void lookAtMinDomains(ConstraintState state, String field) {
        int minDomains = state.source().minDomains();
        if (state.source().hard()
                && minDomains > state.eligibleDomains()
                && state.carriers() > 0
                && (state.selfMatch() > 0 || state.eligibleDomains() == 0)
                && !countsOwnNodeOnly(state)) {
            int most = state.source().maxSkew();
            String atMost = " eligible, so each takes at most " + most + (most == 1 ? " pod" : " pods");
            String but = switch (state.eligibleDomains()) {
                case 0 -> "no domain is eligible, so the pods stay pending";
                case 1 -> "only one domain is" + atMost;
                default -> "only " + state.eligibleDomains() + " domains are" + atMost;
            };
            warn(true, field, "is " + minDomains + ", but " + but);
        }
        if (minDomains > 0 && !state.source().hard()) {
            add(field, "It has no effect with ScheduleAnyway, and the API server rejects this combination.");
        } else if (minDomains > state.totalDomains() && state.carriers() > 0) {
            add(
                    field,
                    "It is " + minDomains + ", but the nodes have only "
                            + (state.totalDomains() == 1 ? "one value" : state.totalDomains() + " values") + " of "
                            + state.source().topologyKey() + ", so the global minimum counts as 0.");
        }
    }

    private void adviseOnConflict(List<Integer> indexes) {
        List<ConstraintState> parties = explanation.constraints().stream()
                .filter(state -> indexes.contains(state.index()))
                .toList();
        String names = parties.stream().map(CauseText::name).collect(Collectors.joining(" and "));
        String admitted = parties.stream()
                .map(state -> "[" + state.index() + "] " + nodes(state.admitted()))
                .collect(Collectors.joining(", "));
        List<String> ways = new ArrayList<>();
        parties.stream()
                .filter(state -> state.leastMaxSkew() > 0 && !state.belowMinDomains())
                .forEach(state -> ways.add("maxSkew " + state.leastMaxSkew() + " in [" + state.index() + "]"));
        long hard = explanation.constraints().stream()
                .filter(state -> state.source().hard())
                .count();
        if (parties.size() == 2 && hard == 2) {
            ways.add("ScheduleAnyway in either");
        }
        add(
                path(explanation),
                "No node satisfies " + names + " together, although each alone admits some (" + admitted + ")."
                        + (ways.isEmpty()
                                ? ""
                                : (incomplete
                                                ? " By what is judged, the pod would fit with "
                                                : " The pod would fit with ")
                                        + String.join(" or ", ways) + "."));
    }

    private void adviseOnAbsentLabel(AbsentLabel label) {
        String field = "spec.nodeSelector[" + label.key() + "]";
        String pair = label.key() + "=" + label.value();
        if (explanation.labelKeys().isEmpty()) {
            return;
        }
        add(
                field,
                label.values().isEmpty()
                        ? "No node has this label." + question(nearNodeLabels.meantBy(label.key()))
                        : "No node has " + pair + "; nodes have " + String.join(", ", label.values()) + ".");
    }

    static String nodes(int count) {
        return count == 1 ? "1 node" : count + " nodes";
    }

    private static String have(int count) {
        return nodes(count) + (count == 1 ? " has" : " have");
    }

    private void warn(boolean ofNodes, String field, String text) {
        warnings.add(new Warning(ofNodes, field, text));
    }

    private void add(String field, String message) {
        advice.add(Advice.newBuilder().setField(field).setMessage(message).build());
    }
}
