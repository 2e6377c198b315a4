package io.evenkeel.engine.naive;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.script.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The model's rules for Filter and Score of one incoming pod: it looks at every node and every pod. */
public final class Recount {
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final int MAX_NODE_SCORE = 100;

    private final IncomingPod pod;
    private final Collection<NodeObject> nodes;
    private final Map<String, List<PodObject>> podsByNode = new HashMap<>();
    private final List<SpreadConstraint> hard = new ArrayList<>();
    private final List<SpreadConstraint> soft = new ArrayList<>();
    /** Whether a node that lacks a soft topology key counts nothing and scores nothing. */
    private final boolean allKeysRequired;

    public Recount(
            IncomingPod pod,
            SpreadDefaults defaults,
            Collection<NodeObject> nodes,
            Collection<PodObject> pods,
            Collection<OwnerObject> owners) {
        this.pod = pod;
        this.nodes = nodes;
        for (PodObject placed : pods) {
            if (!placed.finished()) {
                podsByNode
                        .computeIfAbsent(placed.nodeName(), name -> new ArrayList<>())
                        .add(placed);
            }
        }
        for (SpreadConstraint constraint : effectiveConstraints(pod, defaults, owners)) {
            (constraint.hard() ? hard : soft).add(constraint);
        }
        this.allKeysRequired = !pod.constraints().isEmpty() || !defaults.system();
    }

    /** The constraints in force, each with its effective selector. */
    private static List<SpreadConstraint> effectiveConstraints(
            IncomingPod pod, SpreadDefaults defaults, Collection<OwnerObject> owners) {
        List<SpreadConstraint> effective = new ArrayList<>();
        if (!pod.constraints().isEmpty()) {
            for (SpreadConstraint constraint : pod.constraints()) {
                effective.add(withSelector(constraint, withMatchLabelKeys(constraint, pod.labels())));
            }
            return effective;
        }
        PodSelector given = defaults.ownersSelector();
        PodSelector ofOwners = given == null ? DefaultSelector.of(pod, owners) : given;
        if (!ofOwners.requirements().isEmpty()) {
            // matchLabelKeys of a default constraint have no effect: the owners' selector replaces the merged one.
            defaults.constraints().forEach(constraint -> effective.add(withSelector(constraint, ofOwners)));
        }
        return effective;
    }

    private static @Nullable PodSelector withMatchLabelKeys(SpreadConstraint constraint, Map<String, String> labels) {
        if (constraint.selector() == null) {
            return null;
        }
        List<LabelRequirement> requirements =
                new ArrayList<>(constraint.selector().requirements());
        for (String key : constraint.matchLabelKeys()) {
            String value = labels.get(key);
            if (value != null) {
                requirements.add(new LabelRequirement(key, LabelRequirement.Operator.IN, List.of(value)));
            }
        }
        return new PodSelector(requirements);
    }

    private static SpreadConstraint withSelector(SpreadConstraint constraint, @Nullable PodSelector selector) {
        return new SpreadConstraint(
                constraint.maxSkew(),
                constraint.topologyKey(),
                constraint.hard(),
                selector,
                List.of(),
                constraint.minDomains(),
                constraint.honorAffinity(),
                constraint.honorTaints());
    }

    Map<String, Verdict> filter(Collection<String> candidates) {
        List<Map<String, Integer>> countsByDomain = hardCounts();
        Map<String, Verdict> verdicts = new TreeMap<>();
        for (NodeObject node : nodes) {
            if (candidates.contains(node.name())) {
                verdicts.put(node.name(), verdict(node, countsByDomain));
            }
        }
        return verdicts;
    }

    /** The verdict on each of {@code candidates} that is a node, with every filter that runs before the constraints. */
    public Map<String, Verdict> filterFitting(Collection<String> candidates) {
        Map<String, Verdict> verdicts = filter(candidates);
        for (NodeObject node : nodes) {
            Verdict excluded = FitRules.excluded(pod, node, podsByNode.getOrDefault(node.name(), List.of()));
            if (excluded != null) {
                verdicts.replace(node.name(), excluded);
            }
        }
        return verdicts;
    }

    /** For each hard constraint, in order: the matching pods of each eligible domain. */
    public List<Map<String, Integer>> hardCounts() {
        List<Map<String, Integer>> countsByDomain = new ArrayList<>();
        for (SpreadConstraint constraint : hard) {
            Map<String, Integer> counts = new HashMap<>();
            for (NodeObject node : nodes) {
                String domain = node.labels().get(constraint.topologyKey());
                if (domain != null && holdsAllKeys(node, hard) && isIncluded(node, constraint)) {
                    counts.merge(domain, matchingPods(node, constraint), Integer::sum);
                }
            }
            countsByDomain.add(counts);
        }
        return countsByDomain;
    }

    /** Removes a pod from {@link #hardCounts} as kube-scheduler does when it preempts: also if it is terminating. */
    public void remove(PodObject removed, NodeObject node, List<Map<String, Integer>> countsByDomain) {
        for (int i = 0; i < hard.size(); i++) {
            SpreadConstraint constraint = hard.get(i);
            if (holdsAllKeys(node, hard)
                    && isIncluded(node, constraint)
                    && removed.namespace().equals(pod.namespace())
                    && matches(constraint.selector(), removed.labels())) {
                countsByDomain.get(i).merge(node.labels().get(constraint.topologyKey()), -1, Integer::sum);
            }
        }
    }

    /** The verdict of the hard constraints on one node, given {@link #hardCounts}. */
    public Verdict verdict(NodeObject node, List<Map<String, Integer>> countsByDomain) {
        for (int i = 0; i < hard.size(); i++) {
            SpreadConstraint constraint = hard.get(i);
            Map<String, Integer> counts = countsByDomain.get(i);
            String domain = node.labels().get(constraint.topologyKey());
            if (domain == null) {
                return Verdict.failed(Reason.MISSING_LABEL);
            }
            int minimum = Integer.MAX_VALUE;
            for (int count : counts.values()) {
                minimum = Math.min(minimum, count);
            }
            if (counts.size() < Math.max(1, constraint.minDomains())) {
                minimum = 0;
            }
            int self = matches(constraint.selector(), pod.labels()) ? 1 : 0;
            int skew = counts.getOrDefault(domain, 0) + self - minimum;
            if (skew > constraint.maxSkew()) {
                return Verdict.failed(Reason.SKEW);
            }
        }
        return Verdict.SUCCESS;
    }

    public Map<String, Integer> score(Collection<String> passed) {
        Map<String, Integer> scores = new TreeMap<>();
        List<NodeObject> scored = new ArrayList<>();
        for (NodeObject node : nodes) {
            if (passed.contains(node.name())) {
                scores.put(node.name(), 0);
                if (!allKeysRequired || holdsAllKeys(node, soft)) {
                    scored.add(node);
                }
            }
        }
        if (soft.isEmpty()) {
            return scores;
        }

        double[] weights = new double[soft.size()];
        List<Map<String, Integer>> countsByDomain = new ArrayList<>();
        for (int i = 0; i < soft.size(); i++) {
            SpreadConstraint constraint = soft.get(i);
            Set<String> domains = new HashSet<>();
            scored.forEach(node -> domains.add(domainOrEmpty(node, constraint)));
            boolean perNode = constraint.topologyKey().equals(HOSTNAME);
            weights[i] = GoLogTable.log(perNode ? scored.size() : domains.size());
            Map<String, Integer> counts = new HashMap<>();
            for (NodeObject node : nodes) {
                if ((!allKeysRequired || holdsAllKeys(node, soft)) && isIncluded(node, constraint)) {
                    counts.merge(domainOrEmpty(node, constraint), matchingPods(node, constraint), Integer::sum);
                }
            }
            countsByDomain.add(counts);
        }

        Map<String, Long> raw = new HashMap<>();
        for (NodeObject node : scored) {
            double sum = 0;
            for (int i = 0; i < soft.size(); i++) {
                SpreadConstraint constraint = soft.get(i);
                String domain = node.labels().get(constraint.topologyKey());
                if (domain != null) {
                    int count = constraint.topologyKey().equals(HOSTNAME)
                            ? matchingPods(node, constraint)
                            : countsByDomain.get(i).getOrDefault(domain, 0);
                    sum += count * weights[i] + (constraint.maxSkew() - 1);
                }
            }
            raw.put(node.name(), roundHalfAwayFromZero(sum));
        }
        long min = Long.MAX_VALUE;
        long max = 0;
        for (long score : raw.values()) {
            min = Math.min(min, score);
            max = Math.max(max, score);
        }
        for (Map.Entry<String, Long> entry : raw.entrySet()) {
            long normalised = max == 0 ? MAX_NODE_SCORE : MAX_NODE_SCORE * (max + min - entry.getValue()) / max;
            scores.put(entry.getKey(), Math.toIntExact(normalised));
        }
        return scores;
    }

    /** The sum of kube-scheduler's default scores of each node that passed. */
    public Map<String, Long> stock(ScoredPod scored, Collection<String> passed) {
        return StockRules.sums(
                pod,
                scored,
                nodes.stream().filter(node -> passed.contains(node.name())).toList(),
                node -> podsByNode.getOrDefault(node, List.of()),
                score(passed));
    }

    /** Under the system defaults, a node without the key counts as having an empty value. */
    private static String domainOrEmpty(NodeObject node, SpreadConstraint constraint) {
        return node.labels().getOrDefault(constraint.topologyKey(), "");
    }

    /** For numbers from 0 up. */
    private static long roundHalfAwayFromZero(double number) {
        long whole = (long) number;
        return number - whole >= 0.5 ? whole + 1 : whole;
    }

    private static boolean holdsAllKeys(NodeObject node, List<SpreadConstraint> constraints) {
        for (SpreadConstraint constraint : constraints) {
            if (!node.labels().containsKey(constraint.topologyKey())) {
                return false;
            }
        }
        return true;
    }

    /** Whether the constraint's node inclusion policies let the node take part. */
    private boolean isIncluded(NodeObject node, SpreadConstraint constraint) {
        if (constraint.honorAffinity() && !NodeRules.affinityMatches(pod, node)) {
            return false;
        }
        return !constraint.honorTaints() || NodeRules.toleratesTaints(pod, node);
    }

    private int matchingPods(NodeObject node, SpreadConstraint constraint) {
        PodSelector selector = constraint.selector();
        if (selector == null || selector.requirements().isEmpty()) {
            return 0;
        }
        int count = 0;
        for (PodObject placed : podsByNode.getOrDefault(node.name(), List.of())) {
            if (!placed.terminating()
                    && placed.namespace().equals(pod.namespace())
                    && matches(selector, placed.labels())) {
                count++;
            }
        }
        return count;
    }

    static boolean matches(@Nullable PodSelector selector, Map<String, String> labels) {
        if (selector == null) {
            return false;
        }
        for (LabelRequirement requirement : selector.requirements()) {
            String value = labels.get(requirement.key());
            boolean holds = switch (requirement.operator()) {
                case IN -> value != null && requirement.values().contains(value);
                case NOT_IN -> value == null || !requirement.values().contains(value);
                case EXISTS -> value != null;
                case DOES_NOT_EXIST -> value == null;
            };
            if (!holds) {
                return false;
            }
        }
        return true;
    }
}
