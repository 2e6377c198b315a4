package io.evenkeel.engine.script;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Generates scripts for larger clusters, always the same ones for a seed: 65 to 400 nodes, occasionally about 1,500,
 * topologies of 2 to 300 values, keys that some nodes lack, hostnames that nodes share, and many pods on few nodes.
 * They ask about a few shapes of pods repeatedly, with the same few sets of candidates, while counts change in between.
 */
public final class CrowdedGenerator {
    static final String NAMESPACE = "shop";
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final List<String> KEYS = List.of(ZONE, HOSTNAME, "rack", "row");
    private static final String NODE = "node-";
    private static final Map<String, String> WEB_LABELS = Map.of("app", "web");
    private static final List<Map<String, String>> POD_LABELS =
            List.of(WEB_LABELS, WEB_LABELS, WEB_LABELS, Map.of("app", "db"));
    private static final PodSelector WEB = PodSelector.ofLabels(WEB_LABELS);
    private static final PodSelector ANY_APP =
            new PodSelector(List.of(new LabelRequirement("app", LabelRequirement.Operator.EXISTS, List.of())));
    private static final List<String> RESOURCES = List.of("cpu", "memory", "example.com/gpu");
    private static final int ROUNDS = 5;

    private final RandomChoices dice;
    private final List<Act> acts = new ArrayList<>();
    private final int nodes;
    private final Map<String, Integer> valuesOf = new HashMap<>();
    private final Map<String, Integer> carriersBelow = new HashMap<>();
    private final double missing;
    private final double sharedHostnames;
    private final List<Integer> crowded = new ArrayList<>();
    private final Roster<PodObject> pods;
    private final Set<Integer> gone = new HashSet<>();
    private final Map<Integer, Integer> livesOf = new HashMap<>();
    private final Map<Integer, Map<String, String>> labelsOf = new HashMap<>();
    private int podsNamed;
    private long version;

    private CrowdedGenerator(RandomChoices dice) {
        this.dice = dice;
        this.pods = new Roster<>(dice);
        nodes = dice.chance(0.03) ? dice.between(1_300, 1_700) : dice.between(65, 400);
        for (String key : KEYS) {
            valuesOf.put(key, dice.pick(List.of(2, 3, 3, 5, 12, dice.between(6, 64), dice.between(65, 300))));
            carriersBelow.put(key, dice.chance(0.25) ? dice.between(1, nodes) : nodes);
        }
        valuesOf.put(ZONE, dice.between(2, 9));
        missing = dice.pick(List.of(0.0, 0.0, 0.03, 0.2));
        sharedHostnames = dice.pick(List.of(0.0, 0.0, 0.02, 0.3));
        while (crowded.size() < 4) {
            crowded.add(dice.below(dice.chance(0.5) ? nodes : 64));
        }
    }

    public static Script script(long seed) {
        CrowdedGenerator generator = new CrowdedGenerator(new RandomChoices(seed));
        generator.fill();
        generator.askAndMove();
        generator.fillAndEmptyTheBest();
        return new Script(generator.acts);
    }

    private void fill() {
        for (int i = 0; i < nodes; i++) {
            putNode(i);
        }
        acts.add(new Step.OwnerEvent(
                Change.ADDED, new OwnerObject(ObjectKind.SERVICE, NAMESPACE, "web", "web", ++version, WEB)));
        int count = dice.pick(List.of(0, dice.between(1, 100), dice.between(100, 500)));
        for (int i = 0; i < count; i++) {
            addPod();
        }
    }

    private void askAndMove() {
        List<IncomingPod> shapes = new ArrayList<>();
        for (int i = dice.between(3, 5); i > 0; i--) {
            shapes.add(shape());
        }
        List<@Nullable Set<String>> candidates = new ArrayList<>(Arrays.asList(null, null, some(0.5), firstNodes()));
        for (int round = 0; round < ROUNDS; round++) {
            for (IncomingPod shape : shapes) {
                acts.add(new ScriptedQuery.Placement(shape, SpreadDefaults.SYSTEM, dice.pick(candidates)));
            }
            for (int i = dice.between(1, 4); i > 0; i--) {
                movePod();
            }
            if (dice.chance(0.5)) {
                moveNode(dice.below(nodes));
            }
            if (dice.chance(0.3)) {
                shapes.set(dice.below(shapes.size()), shape());
            }
        }
    }

    /**
     * Only if every node is in a zone and on a host. Adds one pod to each of the emptiest nodes of the emptiest zone
     * that are neighbours of the lowest, so that the best node lies in another word of the node table. Then it removes
     * the first of these pods, and the lowest is the best again.
     */
    private void fillAndEmptyTheBest() {
        int[] onNode = podsOnNodes();
        int best = lowestOfTheEmptiest(onNode);
        if (best < 0) {
            return;
        }
        List<Integer> neighbours = IntStream.range(best, nodes)
                .filter(i -> i >>> 6 == best >>> 6 && onNode[i] == onNode[best])
                .filter(i -> !gone.contains(i) && zoneOf(i).equals(zoneOf(best)))
                .boxed()
                .toList();
        crowdOtherZones(zoneOf(best), neighbours.size() + 3);
        neighbours.forEach(node -> putPod(Change.ADDED, "passing-" + node, WEB_LABELS, node));
        ScriptedQuery ask =
                new ScriptedQuery.Placement(pod(List.of(soft(ZONE), soft(HOSTNAME))), SpreadDefaults.SYSTEM, null);
        acts.add(ask);
        String first = "passing-" + best;
        acts.add(new Step.PodEvent(
                Change.DELETED,
                new PodObject(NAMESPACE, first, first, ++version, WEB_LABELS, name(best), false, false)));
        acts.add(ask);
    }

    /** Counts only pods of the application that is spread. */
    private int[] podsOnNodes() {
        int[] onNode = new int[nodes];
        for (PodObject pod : pods.all()) {
            if (pod.labels().equals(WEB_LABELS)) {
                onNode[Integer.parseInt(pod.nodeName().substring(NODE.length()))]++;
            }
        }
        return onNode;
    }

    /** -1 if some node is in no zone or on no host. */
    private int lowestOfTheEmptiest(int[] onNode) {
        Map<String, Integer> inZone = new HashMap<>();
        for (int i = 0; i < nodes; i++) {
            if (!gone.contains(i)) {
                if (!labels(i).keySet().containsAll(List.of(ZONE, HOSTNAME))) {
                    return -1;
                }
                inZone.merge(zoneOf(i), onNode[i], Integer::sum);
            }
        }
        return IntStream.range(0, nodes)
                .filter(i -> !gone.contains(i))
                .boxed()
                .min(Comparator.comparing((Integer i) -> inZone.getOrDefault(zoneOf(i), 0))
                        .thenComparing(i -> onNode[i])
                        .thenComparing(i -> i))
                .orElse(-1);
    }

    /**
     * Adds {@code count} pods to each other zone, one per node, so that {@code zone} stays the emptiest with fewer
     * pods.
     */
    private void crowdOtherZones(String zone, int count) {
        Map<String, Integer> given = new HashMap<>(Map.of(zone, count));
        for (int i = nodes - 1; i >= 0; i--) {
            if (!gone.contains(i) && given.merge(zoneOf(i), 1, Integer::sum) <= count) {
                putPod(Change.ADDED, "pod-" + podsNamed++, WEB_LABELS, i);
            }
        }
    }

    private Map<String, String> labels(int node) {
        return labelsOf.getOrDefault(node, Map.of());
    }

    private String zoneOf(int node) {
        return labels(node).getOrDefault(ZONE, "");
    }

    private static SpreadConstraint soft(String key) {
        return new SpreadConstraint(1, key, false, WEB, List.of(), 0, true, false);
    }

    private Set<String> some(double share) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < nodes; i++) {
            if (dice.chance(share)) {
                names.add(name(i));
            }
        }
        return names;
    }

    private Set<String> firstNodes() {
        Set<String> names = new HashSet<>();
        for (int i = dice.below(nodes); i >= 0; i--) {
            names.add(name(i));
        }
        return names;
    }

    private void movePod() {
        if (pods.isEmpty() || dice.chance(0.6)) {
            addPod();
        } else if (dice.chance(0.5)) {
            PodObject pod = pods.pick();
            pods.remove(pod.uid());
            acts.add(new Step.PodEvent(Change.DELETED, pod));
        } else {
            PodObject pod = pods.pick();
            putPod(Change.MODIFIED, pod.uid(), pod.labels());
        }
    }

    private void addPod() {
        putPod(Change.ADDED, "pod-" + podsNamed++, dice.pick(POD_LABELS));
    }

    private void putPod(Change change, String uid, Map<String, String> labels) {
        putPod(change, uid, labels, dice.chance(0.6) ? dice.pick(crowded) : dice.below(nodes));
    }

    private void putPod(Change change, String uid, Map<String, String> labels, int node) {
        PodRequests taken = requests().withNonZero(new PodRequests.NonZero(++version % 7, version % 5));
        PodObject pod = new PodObject(NAMESPACE, uid, uid, version, labels, name(node), false, false, taken);
        pods.put(uid, pod);
        acts.add(new Step.PodEvent(change, pod));
    }

    private void moveNode(int node) {
        if (gone.remove(node)) {
            livesOf.merge(node, 1, Integer::sum);
            putNode(node);
        } else if (dice.chance(0.5)) {
            putNode(node);
        } else {
            gone.add(node);
            acts.add(new Step.NodeEvent(
                    Change.DELETED, new NodeObject(name(node), uid(node), ++version, Map.of(), List.of(), false)));
        }
    }

    private void putNode(int i) {
        Map<String, String> labels = new HashMap<>();
        for (String key : KEYS) {
            if (i < carriersBelow.getOrDefault(key, 0) && !dice.chance(missing)) {
                labels.put(key, key.equals(HOSTNAME) ? hostname(i) : value(key, i));
            }
        }
        labelsOf.put(i, labels);
        List<NodeTaint> taints = dice.chance(0.1) ? List.of(new NodeTaint("dedicated", "", "NoSchedule")) : List.of();
        acts.add(new Step.NodeEvent(
                Change.MODIFIED,
                new NodeObject(name(i), uid(i), ++version, labels, taints, dice.chance(0.05), allocatable())));
    }

    /** A UID that was deleted does not return: by then the node has a new one. */
    private String uid(int node) {
        return name(node) + "/" + livesOf.getOrDefault(node, 0);
    }

    private String hostname(int node) {
        return dice.chance(sharedHostnames) ? name(dice.below(nodes)) : name(node);
    }

    private String value(String key, int node) {
        int values = valuesOf.getOrDefault(key, 2);
        int value = dice.chance(0.8) ? node % values : dice.below(values);
        return value == 0 ? "" : "v" + value;
    }

    private NodeAllocatable allocatable() {
        Map<String, Long> amounts = new HashMap<>();
        RESOURCES.forEach(resource -> amounts.put(resource, (long) dice.pick(List.of(0, 4, 8, 8, 100))));
        return new NodeAllocatable(dice.pick(List.of(3, 10, 110)), amounts);
    }

    private PodRequests requests() {
        Map<String, Long> amounts = new HashMap<>();
        for (String resource : dice.some(RESOURCES, 0.3)) {
            amounts.put(resource, (long) dice.between(1, 4));
        }
        return PodRequests.of(
                amounts, dice.chance(0.1) ? List.of(new HostPort("", "", dice.pick(List.of(80, 443)))) : List.of());
    }

    private static String name(int node) {
        return NODE + node;
    }

    private IncomingPod shape() {
        List<SpreadConstraint> constraints = new ArrayList<>();
        int count = dice.pick(List.of(0, 1, 1, 2, 2, 2, 3, 4));
        while (constraints.size() < count) {
            constraints.add(new SpreadConstraint(
                    dice.pick(List.of(1, 1, 2, 5, 30)),
                    dice.pick(KEYS),
                    dice.chance(0.25),
                    dice.pick(Arrays.asList(WEB, WEB, WEB, WEB, ANY_APP, null, PodSelector.EMPTY)),
                    List.of(),
                    dice.chance(0.9) ? 0 : 3,
                    true,
                    dice.chance(0.3)));
        }
        return pod(constraints);
    }

    private IncomingPod pod(List<SpreadConstraint> constraints) {
        return new IncomingPod(NAMESPACE, WEB_LABELS, Map.of(), null, List.of(), constraints, null, requests(), "");
    }
}
