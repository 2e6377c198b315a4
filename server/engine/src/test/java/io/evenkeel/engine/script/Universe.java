package io.evenkeel.engine.script;

import io.evenkeel.engine.model.AntiAffinityTerm;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The names, labels and values of generated clusters. There are few of each, so that they are used again and again, and
 * they include difficult ones (empty values, shared hostnames, numbers that are not plain, UIDs that differ in letter
 * case).
 */
public final class Universe {
    public static final String ZONE = "topology.kubernetes.io/zone";
    static final String REGION = "topology.kubernetes.io/region";
    public static final String HOSTNAME = "kubernetes.io/hostname";
    static final String RACK = "rack";
    static final String POOL = "pool";
    static final String CPUS = "cpus";

    static final List<String> TOPOLOGY_KEYS =
            List.of(ZONE, ZONE, ZONE, ZONE, HOSTNAME, HOSTNAME, HOSTNAME, HOSTNAME, REGION, RACK, RACK, POOL, "absent");
    static final List<String> POOLS = List.of("", "a", "b");
    static final List<String> CPU_COUNTS = List.of("4", "8", "16", "007", "x", "", "9223372036854775808");
    static final List<String> TAINT_KEYS = List.of("gpu", "team", "node.kubernetes.io/unschedulable");
    static final List<String> TAINT_VALUES = List.of("", "", "ml", "5", "10", "-3", "-0", "020", "9223372036854775807");
    static final List<String> TAINT_EFFECTS = List.of("NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule");
    static final Map<String, List<String>> POD_LABELS = new TreeMap<>(Map.of(
            "app", List.of("web", "db", ""),
            "tier", List.of("front", "back"),
            "pod-template-hash", List.of("h1", "h2", "h3"),
            "index", List.of("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")));
    static final List<String> SELECTOR_KEYS =
            List.of("app", "app", "app", "app", "tier", "tier", "pod-template-hash", "index");
    static final List<String> OWNER_NAMES = List.of("web", "db", "batch");
    static final List<String> RESOURCES = List.of(
            "cpu",
            "cpu",
            "memory",
            "memory",
            "ephemeral-storage",
            "hugepages-2Mi",
            "example.com/gpu",
            "attachable-volumes-x");
    static final List<Long> AMOUNTS = List.of(1L, 1L, 1L, 2L, 2L, 3L, 5L, 8L, 1L << 40);
    static final List<String> ADDRESSES = List.of("", "", "0.0.0.0", "::", "10.0.0.1", "10.0.0.2");
    static final List<String> PROTOCOLS = List.of("", "", "TCP", "UDP", "SCTP");
    static final List<Integer> PORTS = List.of(80, 80, 443, 8080, 65535);

    final List<String> nodeNames;
    final List<String> zones;
    final List<String> regions = List.of("r1", "r2", "");
    final List<String> racks;
    public final List<String> namespaces;
    /** How often a node lacks a topology label. */
    final double missingLabel;
    /** How often an event lacks its resourceVersion. */
    final double unknownVersion;
    /** How often a pod asks for one more resource, and how often for one more port. */
    private final double asking;

    private final List<Long> podsPerNode;

    private final RandomChoices dice;
    private final List<String> uids = new ArrayList<>();

    public Universe(RandomChoices dice) {
        this.dice = dice;
        int nodes = dice.chance(0.1) ? dice.between(60, 140) : dice.between(1, 10);
        this.nodeNames = numbered("node-", nodes);
        this.zones = withEmpty(numbered("z", dice.between(1, 4)));
        this.racks = withEmpty(numbered("k", dice.between(1, Math.max(2, nodes / 2))));
        this.namespaces = numbered("ns-", dice.pick(List.of(1, 1, 2, 3)));
        this.missingLabel = dice.pick(List.of(0.0, 0.0, 0.05, 0.2));
        this.unknownVersion = dice.pick(List.of(0.0, 0.05, 0.05, 1.0));
        this.asking = dice.pick(List.of(0.0, 0.3, 0.6));
        this.podsPerNode = dice.pick(List.of(List.of(0L, 1L, 3L), List.of(3L, 10L), List.of(110L, 1_000L)));
    }

    private static List<String> numbered(String prefix, int count) {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            names.add(prefix + i);
        }
        return names;
    }

    private List<String> withEmpty(List<String> values) {
        if (dice.chance(0.4)) {
            values.add("");
        }
        return values;
    }

    /** A UID that was never used: usually a UUID, otherwise some other text. */
    public String freshUid() {
        String uid;
        do {
            uid = someUid();
        } while (uids.contains(uid));
        uids.add(uid);
        return uid;
    }

    private String someUid() {
        if (!uids.isEmpty() && dice.chance(0.2)) {
            String other = dice.pick(uids);
            // Variants of a UUID: the same 128 bits to a lenient parser, but different UIDs by the rules.
            return dice.pick(List.of(
                    other.toUpperCase(Locale.ROOT),
                    other.replace("-", ""),
                    other.replaceFirst("^0+", ""),
                    other + " ",
                    other + "0"));
        }
        if (dice.chance(0.1)) {
            return "uid-" + dice.below(1_000);
        }
        long high = dice.chance(0.1) ? dice.below(3) : dice.number();
        long low = dice.chance(0.1) ? -dice.below(3) : dice.number();
        return new UUID(high, low).toString();
    }

    public Map<String, String> nodeLabels(String nodeName) {
        Map<String, String> labels = new TreeMap<>();
        put(labels, ZONE, dice.pick(zones));
        put(labels, REGION, dice.pick(regions));
        put(labels, RACK, dice.pick(racks));
        put(labels, POOL, dice.pick(POOLS));
        put(labels, CPUS, dice.pick(CPU_COUNTS));
        put(labels, HOSTNAME, dice.chance(0.1) ? dice.pick(List.of("shared", "", dice.pick(nodeNames))) : nodeName);
        return labels;
    }

    private void put(Map<String, String> labels, String key, String value) {
        if (!dice.chance(missingLabel)) {
            labels.put(key, value);
        }
    }

    public List<NodeTaint> taints() {
        List<NodeTaint> taints = new ArrayList<>();
        while (dice.chance(0.25)) {
            taints.add(new NodeTaint(dice.pick(TAINT_KEYS), dice.pick(TAINT_VALUES), dice.pick(TAINT_EFFECTS)));
        }
        return taints;
    }

    /** What a node has for pods; null if it was given without. */
    @Nullable
    public NodeAllocatable allocatable() {
        if (dice.chance(0.1)) {
            return null;
        }
        Map<String, Long> amounts = new TreeMap<>();
        while (dice.chance(0.85)) {
            amounts.put(resource(), dice.chance(0.1) ? Long.valueOf(0) : dice.pick(AMOUNTS));
        }
        return new NodeAllocatable(dice.pick(podsPerNode), amounts);
    }

    public PodRequests requests() {
        if (dice.chance(0.1)) {
            return PodRequests.UNKNOWN;
        }
        Map<String, Long> amounts = new TreeMap<>();
        while (dice.chance(asking)) {
            amounts.put(resource(), dice.pick(AMOUNTS));
        }
        List<HostPort> ports = new ArrayList<>();
        while (dice.chance(asking / 2)) {
            ports.add(new HostPort(dice.pick(ADDRESSES), dice.pick(PROTOCOLS), dice.pick(PORTS)));
        }
        return PodRequests.of(amounts, ports);
    }

    PodRequests.NonZero nonZero() {
        return new PodRequests.NonZero(dice.pick(AMOUNTS), dice.pick(AMOUNTS));
    }

    /** The requests of a pod of the cluster, occasionally with required anti-affinity. */
    PodRequests storedRequests() {
        List<AntiAffinityTerm> terms = new ArrayList<>();
        while (dice.chance(0.15)) {
            terms.add(new AntiAffinityTerm(
                    HOSTNAME, dice.some(namespaces, 0.5), PodSelector.ofLabels(Map.of("app", "db"))));
        }
        PodRequests requests = requests().withAntiAffinity(terms);
        return dice.chance(0.8) ? requests.withNonZero(nonZero()) : requests;
    }

    /** Occasionally one that hardly any other object has. */
    private String resource() {
        return dice.chance(0.03) ? "example.com/rare-" + dice.below(200) : dice.pick(RESOURCES);
    }

    public Map<String, String> podLabels() {
        Map<String, String> labels = new TreeMap<>();
        for (Map.Entry<String, List<String>> label : POD_LABELS.entrySet()) {
            if (dice.chance(label.getKey().equals("index") ? 0.3 : 0.8)) {
                labels.put(label.getKey(), dice.pick(label.getValue()));
            }
        }
        return labels;
    }

    /** Usually a selector that the given labels match in part. */
    PodSelector selector(Map<String, String> labels) {
        List<LabelRequirement> requirements = new ArrayList<>();
        do {
            String key = dice.pick(SELECTOR_KEYS);
            String value = labels.get(key);
            requirements.add(
                    value != null && dice.chance(0.7)
                            ? new LabelRequirement(key, LabelRequirement.Operator.IN, List.of(value))
                            : requirement(key));
        } while (dice.chance(0.25));
        return new PodSelector(requirements);
    }

    private LabelRequirement requirement(String key) {
        List<String> values = POD_LABELS.getOrDefault(key, List.of("1"));
        LabelRequirement.Operator operator = dice.pick(List.of(LabelRequirement.Operator.values()));
        if (operator == LabelRequirement.Operator.EXISTS || operator == LabelRequirement.Operator.DOES_NOT_EXIST) {
            return new LabelRequirement(key, operator, List.of());
        }
        List<String> chosen = dice.some(values, 0.4);
        return new LabelRequirement(key, operator, chosen.isEmpty() ? List.of(dice.pick(values)) : chosen);
    }

    /** Labels that a service or a replication controller may select by; rarely none. */
    PodSelector labelSelector() {
        Map<String, String> labels = podLabels();
        labels.keySet().retainAll(dice.some(List.of("app", "tier"), 0.7));
        return PodSelector.ofLabels(labels);
    }
}
