package io.evenkeel.engine.script;

import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.TaintToleration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Generates random questions about random pods. Many questions ask about the same pods again, because the test targets
 * counts that are kept.
 */
public final class QueryGenerator {
    private static final int REMEMBERED = 12;
    private static final List<String> NODE_OPERATORS =
            List.of("In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Near");
    private static final List<PodKey> UNKNOWN = List.of(
            PodKey.ofUid("no-such-uid"),
            PodKey.ofUid("00000000-0000-4000-8000-000000000000"),
            PodKey.ofName("ns-1", "no-such-pod"),
            PodKey.ofName("no-such-namespace", "pod-1"));

    private final RandomChoices dice;
    private final Universe universe;
    private final List<IncomingPod> remembered = new ArrayList<>();

    public QueryGenerator(RandomChoices dice, Universe universe) {
        this.dice = dice;
        this.universe = universe;
    }

    /**
     * A question about the cluster as it is or with an overlay.
     *
     * @param nodes names of nodes for what-ifs
     * @param pods pods for overlays to remove and to move
     */
    public ScriptedQuery next(List<String> nodes, List<PodObject> pods) {
        IncomingPod pod = remembered.isEmpty() || dice.chance(0.3) ? remember(pod(pods)) : dice.pick(remembered);
        if (dice.chance(0.1)) {
            pod = remember(twin(pod));
        }
        if (dice.chance(0.2)) {
            return whatIf(pod, nodes, pods);
        }
        Overlay overlay = !nodes.isEmpty() && dice.chance(0.25) ? overlay(pod, dice.pick(nodes), pods) : Overlay.NONE;
        return new ScriptedQuery.Placement(pod, defaults(), candidates(), overlay);
    }

    /** A pod that differs from {@code pod} in one way, so that their plans must not be confused. */
    private IncomingPod twin(IncomingPod pod) {
        List<Act> twins = Simplification.of(new ScriptedQuery.Placement(pod, SpreadDefaults.NONE, null));
        return twins.isEmpty() ? pod : ((ScriptedQuery) dice.pick(twins)).pod();
    }

    private IncomingPod remember(IncomingPod pod) {
        if (remembered.size() == REMEMBERED) {
            remembered.remove(dice.below(REMEMBERED));
        }
        remembered.add(pod);
        return pod;
    }

    private @Nullable Set<String> candidates() {
        if (dice.chance(0.6)) {
            return null;
        }
        Set<String> names = new HashSet<>(dice.some(universe.nodeNames, dice.pick(List.of(0.0, 0.3, 0.7))));
        if (dice.chance(0.3)) {
            names.add("nowhere");
        }
        return names;
    }

    private ScriptedQuery.WhatIf whatIf(IncomingPod pod, List<String> nodes, List<PodObject> pods) {
        String node = nodes.isEmpty() || dice.chance(0.03) ? "nowhere" : dice.pick(nodes);
        return new ScriptedQuery.WhatIf(pod, defaults(), node, overlay(pod, node, pods));
    }

    /**
     * Removes pods of a node and some others, and adds some.
     *
     * @param pods the pods of the cluster
     */
    public Overlay overlay(IncomingPod pod, String node, List<PodObject> pods) {
        List<PodKey> without = new ArrayList<>();
        for (PodObject victim : dice.some(pods, 0.5)) {
            if (victim.nodeName().equals(node) || dice.chance(0.02)) {
                without.add(key(victim));
            }
        }
        if (!without.isEmpty() && dice.chance(0.1)) {
            without.add(dice.pick(without));
        }
        if (dice.chance(0.05)) {
            without.add(dice.pick(UNKNOWN));
        }
        List<Overlay.Added> added = new ArrayList<>();
        while (dice.chance(0.4)) {
            added.add(!pods.isEmpty() && dice.chance(0.3) ? known(node, pods) : inFull(pod, node, pods, added));
        }
        return new Overlay(without, added);
    }

    private PodKey key(PodObject pod) {
        return dice.chance(0.5) ? PodKey.ofUid(pod.uid()) : PodKey.ofName(pod.namespace(), pod.name());
    }

    private Overlay.Known known(String node, List<PodObject> pods) {
        return new Overlay.Known(
                dice.chance(0.95) ? key(dice.pick(pods)) : dice.pick(UNKNOWN),
                dice.pick(List.of("", node, dice.pick(universe.nodeNames))));
    }

    private Overlay.InFull inFull(IncomingPod pod, String node, List<PodObject> pods, List<Overlay.Added> before) {
        String uid = dice.chance(0.2) ? "" : universe.freshUid();
        if (!pods.isEmpty() && dice.chance(0.1)) {
            uid = dice.pick(pods).uid();
        } else if (!before.isEmpty() && dice.chance(0.2) && dice.pick(before) instanceof Overlay.InFull same) {
            uid = same.pod().uid();
        }
        return new Overlay.InFull(new PodObject(
                dice.chance(0.8) ? pod.namespace() : dice.pick(universe.namespaces),
                "added-" + before.size(),
                uid,
                0,
                dice.chance(0.5) ? pod.labels() : universe.podLabels(),
                dice.pick(List.of("", node, node, dice.pick(universe.nodeNames))),
                dice.chance(0.1),
                dice.chance(0.1),
                universe.requests()));
    }

    private SpreadDefaults defaults() {
        SpreadDefaults defaults = switch (dice.below(4)) {
            case 0 -> SpreadDefaults.NONE;
            case 1 -> SpreadDefaults.list(constraints(dice.between(1, 3), universe.podLabels()));
            default -> SpreadDefaults.SYSTEM;
        };
        PodSelector given = dice.chance(0.3) ? selector(universe.podLabels()) : null;
        return given == null ? defaults : defaults.withOwnersSelector(given);
    }

    private IncomingPod pod(List<PodObject> pods) {
        String namespace = dice.chance(0.95) ? dice.pick(universe.namespaces) : "ns-unheard-of";
        Map<String, String> labels = universe.podLabels();
        if (!pods.isEmpty() && dice.chance(0.6)) {
            PodObject sibling = dice.pick(pods);
            namespace = sibling.namespace();
            labels = sibling.labels();
        }
        return new IncomingPod(
                namespace,
                labels,
                nodeSelector(),
                dice.chance(0.25) ? affinityTerms() : null,
                tolerations(),
                constraints(dice.pick(List.of(0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5)), labels),
                controller(),
                universe.requests(),
                dice.chance(0.05) ? dice.pick(universe.nodeNames) : "");
    }

    private List<SpreadConstraint> constraints(int count, Map<String, String> labels) {
        List<SpreadConstraint> constraints = new ArrayList<>();
        double hard = dice.pick(List.of(0.0, 0.5, 1.0));
        while (constraints.size() < count) {
            constraints.add(new SpreadConstraint(
                    dice.pick(List.of(1, 1, 1, 1, 2, 2, 3, 3, 7, Integer.MAX_VALUE)),
                    dice.pick(Universe.TOPOLOGY_KEYS),
                    dice.chance(hard),
                    selector(labels),
                    dice.chance(0.2) ? dice.some(List.of("pod-template-hash", "index", "no-such"), 0.6) : List.of(),
                    dice.chance(0.7) ? 0 : dice.pick(List.of(1, 2, 3, 5, Integer.MAX_VALUE)),
                    dice.chance(0.7),
                    dice.chance(0.4)));
        }
        return constraints;
    }

    private @Nullable PodSelector selector(Map<String, String> labels) {
        int choice = dice.below(20);
        if (choice == 0) {
            return null;
        }
        return choice < 3 ? PodSelector.EMPTY : universe.selector(labels);
    }

    private Map<String, String> nodeSelector() {
        if (dice.chance(0.85)) {
            return Map.of();
        }
        return Map.of(Universe.POOL, dice.pick(Universe.POOLS));
    }

    private List<NodeTerm> affinityTerms() {
        List<NodeTerm> terms = new ArrayList<>();
        boolean eachNamesNodes = dice.chance(0.4);
        while (terms.size() < 3 && dice.chance(0.75)) {
            List<NodeRequirement> expressions = new ArrayList<>();
            while (dice.chance(0.5)) {
                expressions.add(expression());
            }
            List<NodeRequirement> fields = new ArrayList<>();
            if (eachNamesNodes || dice.chance(0.2)) {
                fields.add(eachNamesNodes ? named("In") : field());
            }
            while (dice.chance(eachNamesNodes ? 0.4 : 0.1)) {
                fields.add(eachNamesNodes ? named("In") : field());
            }
            terms.add(new NodeTerm(expressions, fields));
        }
        return terms;
    }

    private NodeRequirement expression() {
        String operator = dice.chance(0.98) ? dice.pick(NODE_OPERATORS) : "";
        String key = dice.pick(List.of(
                Universe.ZONE, Universe.REGION, Universe.POOL, Universe.CPUS, Universe.HOSTNAME, "absent", "-bad"));
        List<String> values = new ArrayList<>();
        if (operator.equals("Gt") || operator.equals("Lt")) {
            key = dice.chance(0.8) ? Universe.CPUS : key;
            values.add(dice.pick(List.of("4", "8", "8", "16", "007", "-5", "+8", "x", "9223372036854775808")));
        } else if (operator.contains("In")) {
            Map<String, String> labels = new TreeMap<>(universe.nodeLabels(dice.pick(universe.nodeNames)));
            values.add(labels.getOrDefault(key, "other"));
            values.add(labels.getOrDefault(Universe.ZONE, "not valid"));
        }
        if (dice.chance(0.05)) {
            values.clear();
        }
        return new NodeRequirement(key, operator, values);
    }

    private NodeRequirement field() {
        NodeRequirement named = named(dice.pick(List.of("In", "In", "NotIn", "NotIn", "Exists")));
        return dice.chance(0.9) ? named : new NodeRequirement("metadata.namespace", named.operator(), named.values());
    }

    private NodeRequirement named(String operator) {
        return new NodeRequirement(
                "metadata.name",
                operator,
                dice.chance(0.9) ? List.of(dice.pick(universe.nodeNames)) : dice.some(universe.nodeNames, 0.5));
    }

    private List<TaintToleration> tolerations() {
        List<TaintToleration> tolerations = new ArrayList<>();
        while (dice.chance(0.35)) {
            tolerations.add(new TaintToleration(
                    dice.chance(0.2) ? "" : dice.pick(Universe.TAINT_KEYS),
                    dice.pick(List.of("", "Equal", "Exists", "Exists", "Lt", "Gt", "Near")),
                    dice.pick(Universe.TAINT_VALUES),
                    dice.chance(0.5) ? "" : dice.pick(Universe.TAINT_EFFECTS)));
        }
        return tolerations;
    }

    private @Nullable ControllerRef controller() {
        if (dice.chance(0.3)) {
            return null;
        }
        String kind = dice.pick(List.of(
                "v1 ReplicationController",
                "/v1 ReplicationController",
                "apps/v1 ReplicaSet",
                "apps/v1 StatefulSet",
                "v1 ReplicaSet",
                "batch/v1 Job",
                "v1 Service"));
        int space = kind.indexOf(' ');
        return new ControllerRef(kind.substring(0, space), kind.substring(space + 1), dice.pick(Universe.OWNER_NAMES));
    }
}
