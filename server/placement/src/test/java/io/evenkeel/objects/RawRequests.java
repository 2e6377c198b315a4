package io.evenkeel.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.PodRequests;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What pods ask for and what nodes have, computed from the JSON of these objects with exact numbers. It is written to
 * be read as kube-scheduler's rules, and is compared with what is read from messages and bytes.
 */
public final class RawRequests {
    private static final BigDecimal KI = BigDecimal.valueOf(1024);
    private static final List<String> DECIMAL_SUFFIXES = List.of("n", "u", "m", "", "k", "M", "G", "T", "P", "E");
    private static final int POSITION_OF_ONE = 3;
    private static final String BINARY_SUFFIXES = "KMGTPE";
    private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);

    private RawRequests() {}

    /** What an incoming pod asks for: its spec alone. */
    public static PodRequests ofIncoming(JsonNode pod) {
        return of(pod, false);
    }

    /**
     * What an incoming pod counts as asking for when nodes are scored: each container at least the defaults, whatever
     * the pod as a whole asks for.
     */
    public static PodRequests.NonZero scored(JsonNode pod) {
        ObjectNode ofContainers = pod.deepCopy();
        ((ObjectNode) ofContainers.path("spec")).remove("resources");
        return nonZero(ofContainers, false, true, true);
    }

    private static PodRequests.NonZero nonZero(
            JsonNode pod, boolean stored, boolean defaultCpu, boolean defaultMemory) {
        if (!hasContainers(pod)) {
            return PodRequests.NonZero.NOTHING;
        }
        Map<String, BigDecimal> defaults = new TreeMap<>();
        if (defaultCpu) {
            defaults.put("cpu", new BigDecimal("0.1"));
        }
        if (defaultMemory) {
            defaults.put("memory", new BigDecimal("209715200"));
        }
        Map<String, Long> sum = rounded(needs(pod, stored, defaults, new ArrayList<>()));
        return new PodRequests.NonZero(sum.getOrDefault("cpu", 0L), sum.getOrDefault("memory", 0L));
    }

    private static boolean hasContainers(JsonNode pod) {
        return !pod.path("spec").path("containers").isEmpty()
                || !pod.path("spec").path("initContainers").isEmpty();
    }

    /** What a pod takes from the node that it is on, which depends on how far a resize has got. */
    public static PodRequests ofStored(JsonNode pod) {
        Map<String, BigDecimal> named = needs(pod, true, Map.of(), new ArrayList<>());
        boolean asksAsAWhole = amounts(pod.path("spec").path("resources").path("requests")).keySet().stream()
                .anyMatch(RawRequests::isOfPods);
        return of(pod, true)
                .withNonZero(nonZero(
                        pod,
                        true,
                        !(asksAsAWhole && named.containsKey("cpu")),
                        !(asksAsAWhole && named.containsKey("memory"))));
    }

    /** Null if the node has no allocatable resources in its status. */
    public static @Nullable NodeAllocatable allocatable(JsonNode node) {
        JsonNode all = node.path("status").path("allocatable");
        if (all.isEmpty()) {
            return null;
        }
        Map<String, BigDecimal> amounts = amounts(all);
        long pods = whole(amounts.getOrDefault("pods", BigDecimal.ZERO));
        Map<String, Long> rounded = rounded(amounts);
        return new NodeAllocatable(pods, rounded);
    }

    private static PodRequests of(JsonNode pod, boolean stored) {
        if (!hasContainers(pod)) {
            return PodRequests.UNKNOWN;
        }
        List<HostPort> ports = new ArrayList<>();
        return PodRequests.of(rounded(needs(pod, stored, Map.of(), ports)), ports);
    }

    /** @param defaults what a container asks for if it does not name the resource */
    private static Map<String, BigDecimal> needs(
            JsonNode pod, boolean stored, Map<String, BigDecimal> defaults, List<HostPort> ports) {
        JsonNode spec = pod.path("spec");
        boolean infeasible = stored && isInfeasible(pod);
        Map<String, BigDecimal> needs = new TreeMap<>();
        for (JsonNode container : spec.path("containers")) {
            Map<String, BigDecimal> own = ofContainer(container, stored ? pod.path("status") : null, infeasible);
            defaults.forEach(own::putIfAbsent);
            add(needs, own);
            ports.addAll(ports(container));
        }
        Map<String, BigDecimal> restartable = new TreeMap<>();
        List<Map<String, BigDecimal>> starting = new ArrayList<>();
        for (JsonNode container : spec.path("initContainers")) {
            boolean restarts = container.path("restartPolicy").asText().equals("Always");
            Map<String, BigDecimal> own =
                    ofContainer(container, stored && restarts ? pod.path("status") : null, infeasible);
            defaults.forEach(own::putIfAbsent);
            if (restarts) {
                add(needs, own);
                add(restartable, own);
                starting.add(new TreeMap<>(restartable));
                ports.addAll(ports(container));
            } else {
                Map<String, BigDecimal> together = new TreeMap<>(restartable);
                add(together, own);
                starting.add(together);
            }
        }
        starting.forEach(need -> need.forEach((resource, amount) -> needs.merge(resource, amount, BigDecimal::max)));
        ofPod(pod, stored, infeasible).forEach((resource, amount) -> {
            if (isOfPods(resource)) {
                needs.put(resource, amount);
            }
        });
        add(needs, amounts(spec.path("overhead")));
        return needs;
    }

    private static boolean isOfPods(String resource) {
        return resource.equals("cpu") || resource.equals("memory") || resource.startsWith("hugepages-");
    }

    private static boolean isInfeasible(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("PodResizePending")) {
                return condition.path("reason").asText().equals("Infeasible");
            }
        }
        return false;
    }

    /** @param podStatus null if only the spec matters */
    private static Map<String, BigDecimal> ofContainer(
            JsonNode container, @Nullable JsonNode podStatus, boolean infeasible) {
        Map<String, BigDecimal> asked = amounts(container.path("resources").path("requests"));
        JsonNode status = podStatus == null
                ? null
                : status(podStatus, container.path("name").asText());
        return status == null || !status.path("resources").isObject()
                ? asked
                : largest(
                        infeasible ? Map.of() : asked,
                        amounts(status.path("resources").path("requests")),
                        amounts(status.path("allocatedResources")));
    }

    /** The last one of that name; null if there is none. */
    private static @Nullable JsonNode status(JsonNode podStatus, String container) {
        JsonNode last = null;
        for (String list : List.of("containerStatuses", "initContainerStatuses")) {
            for (JsonNode status : podStatus.path(list)) {
                if (status.path("name").asText().equals(container)) {
                    last = status;
                }
            }
        }
        return last;
    }

    private static Map<String, BigDecimal> ofPod(JsonNode pod, boolean stored, boolean infeasible) {
        Map<String, BigDecimal> asked =
                amounts(pod.path("spec").path("resources").path("requests"));
        JsonNode status = pod.path("status");
        if (!stored || !status.path("resources").isObject()) {
            return asked;
        }
        Map<String, BigDecimal> all = new TreeMap<>();
        asked.keySet().forEach(resource -> all.put(resource, BigDecimal.ZERO));
        Map<String, BigDecimal> counted = largest(
                infeasible ? Map.of() : asked,
                amounts(status.path("resources").path("requests")),
                amounts(status.path("allocatedResources")));
        counted.keySet().retainAll(asked.keySet());
        all.putAll(counted);
        return all;
    }

    @SafeVarargs
    private static Map<String, BigDecimal> largest(Map<String, BigDecimal>... each) {
        Map<String, BigDecimal> largest = new TreeMap<>();
        for (Map<String, BigDecimal> amounts : each) {
            amounts.forEach((resource, amount) -> largest.merge(resource, amount, BigDecimal::max));
        }
        return largest;
    }

    private static void add(Map<String, BigDecimal> sum, Map<String, BigDecimal> more) {
        more.forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::add));
    }

    private static List<HostPort> ports(JsonNode container) {
        List<HostPort> ports = new ArrayList<>();
        for (JsonNode port : container.path("ports")) {
            if (port.path("hostPort").asInt() > 0) {
                ports.add(new HostPort(
                        port.path("hostIP").asText(),
                        port.path("protocol").asText(),
                        port.path("hostPort").asInt()));
            }
        }
        return ports;
    }

    private static Map<String, BigDecimal> amounts(JsonNode list) {
        Map<String, BigDecimal> amounts = new TreeMap<>();
        list.properties()
                .forEach(each ->
                        amounts.put(each.getKey(), quantity(each.getValue().asText())));
        return amounts;
    }

    /** Only the resources that kube-scheduler compares, rounded up: cpu to millicores, all else to whole units. */
    private static Map<String, Long> rounded(Map<String, BigDecimal> amounts) {
        Map<String, Long> rounded = new HashMap<>();
        amounts.forEach((resource, amount) -> {
            if (resource.equals("cpu")) {
                rounded.put(resource, whole(amount.movePointRight(3)));
            } else if (resource.equals("memory") || resource.equals("ephemeral-storage") || isScalar(resource)) {
                rounded.put(resource, whole(amount));
            }
        });
        return rounded;
    }

    /** IsScalarResourceName, for names that are valid. */
    private static boolean isScalar(String resource) {
        return resource.contains("/") && !resource.startsWith("requests.")
                || resource.contains("kubernetes.io/")
                || resource.startsWith("hugepages-")
                || resource.startsWith("attachable-volumes-");
    }

    private static long whole(BigDecimal amount) {
        return amount.setScale(0, RoundingMode.CEILING)
                .toBigInteger()
                .min(LARGEST)
                .longValueExact();
    }

    /** The value of a quantity in any of Kubernetes' notations: 1.5Gi, 250m, 2e3, 128974848. */
    static BigDecimal quantity(String text) {
        if (text.endsWith("i")) {
            int power = BINARY_SUFFIXES.indexOf(text.charAt(text.length() - 2)) + 1;
            return new BigDecimal(text.substring(0, text.length() - 2)).multiply(KI.pow(power));
        }
        String suffix = text.substring(text.length() - 1);
        int position = DECIMAL_SUFFIXES.indexOf(suffix);
        return position < 0
                ? new BigDecimal(text)
                : new BigDecimal(text.substring(0, text.length() - 1))
                        .scaleByPowerOfTen(3 * (position - POSITION_OF_ONE));
    }
}
