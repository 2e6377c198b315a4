package io.evenkeel.objects;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.ContainerStatus;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.ResourceRequirements;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Computes what one pod asks of its node, as kube-scheduler does ({@code PodRequests} of {@code component-helpers}, and
 * {@code GetHostPorts}).
 *
 * <pre>
 *   containers and sidecars, side by side            a + b + sidecar
 *   an init container, with the sidecars before it   sidecar + init        the maximum of both, resource by resource
 *   requests of the pod as a whole                   replace cpu, memory and hugepages of that
 *   overhead                                         is added at the end
 * </pre>
 *
 * The {@link PodRequests.NonZero} amounts are the same sum, in which containers without a request for cpu or memory
 * count with a default.
 *
 * <p>A pod on a node may be in the middle of a resize. What its status says is then counted too: the maximum of what
 * its spec asks for, what it has, and what is allocated to it; without the spec if the node cannot grant that.
 *
 * <p>Amounts are added exactly and rounded up once. An instance is used for one pod.
 */
final class RequestsTranslator {
    private static final FieldPath SPEC = FieldPath.ROOT.field("spec");
    private static final FieldPath CONTAINERS = SPEC.field("containers");
    private static final FieldPath INIT_CONTAINERS = SPEC.field("initContainers");
    private static final FieldPath STATUS = FieldPath.ROOT.field("status");

    /** 100m and 200Mi ({@code pod_resources.go}). */
    private static final Map<String, BigDecimal> NON_ZERO =
            Map.of(PodRequests.CPU, new BigDecimal("0.1"), PodRequests.MEMORY, BigDecimal.valueOf(200L << 20));

    private static final String RESOURCES = "resources";
    private static final String REQUESTS = "requests";
    private static final String ALLOCATED = "allocatedResources";
    private static final String ALWAYS = "Always";
    private static final int LAST_PORT = 65_535;

    /** Judging a pod takes time and memory for each resource and node, and for each pair of ports. */
    private static final int MAX_RESOURCES = 128;

    private static final int MAX_HOST_PORTS = 1_024;

    private final PodSpec spec;
    private final PodStatus status;
    private final PodLimits limits;
    private final Violations violations;
    private final boolean infeasible;

    /** What the status says of each container, and the key is its name; empty if only the spec counts. */
    private final Map<String, Map<String, BigDecimal>> resized = new HashMap<>();

    private final List<Map<String, BigDecimal>> containers = new ArrayList<>();
    private final List<Map<String, BigDecimal>> initContainers = new ArrayList<>();
    private final List<HostPort> ports = new ArrayList<>();
    private Map<String, BigDecimal> wholePod = Map.of();
    private Map<String, BigDecimal> overhead = Map.of();

    private RequestsTranslator(PodSpec spec, PodStatus status, PodLimits limits, Violations violations) {
        this.spec = spec;
        this.status = status;
        this.limits = limits;
        this.violations = violations;
        this.infeasible = status.getConditionsList().stream()
                .filter(condition -> condition.getType().equals("PodResizePending"))
                .findFirst()
                .map(PodCondition::getReason)
                .filter("Infeasible"::equals)
                .isPresent();
    }

    /** What a pod asks for by its spec. Do not use the result if {@code violations} were added. */
    static PodRequests asked(PodSpec spec, PodLimits limits, Violations violations) {
        return new RequestsTranslator(spec, PodStatus.getDefaultInstance(), limits, violations).translate();
    }

    /** What a pod takes from its node. Do not use the result if {@code violations} were added. */
    static PodRequests taken(PodSpec spec, PodStatus status, PodLimits limits, Violations violations) {
        RequestsTranslator translator = new RequestsTranslator(spec, status, limits, violations);
        PodRequests taken = translator.translate();
        return taken.isKnown() ? taken.withNonZero(translator.nonZeroTaken()) : taken;
    }

    /**
     * What a pod counts as asking for when nodes are scored. Unlike in {@link #taken}, requests of the pod as a whole
     * have no effect: the scorer of NodeResourcesFit in kube-scheduler 1.36 does not know them ({@code NewFit} does not
     * set {@code enablePodLevelResources}).
     */
    static PodRequests.NonZero scored(PodSpec spec, PodLimits limits) {
        RequestsTranslator translator =
                new RequestsTranslator(spec, PodStatus.getDefaultInstance(), limits, new Violations());
        if (!translator.read()) {
            return PodRequests.NonZero.NOTHING;
        }
        translator.wholePod = Map.of();
        return nonZero(translator.sum(NON_ZERO));
    }

    private PodRequests translate() {
        if (!read()) {
            return PodRequests.UNKNOWN;
        }
        Map<String, BigDecimal> sum = sum(Map.of());
        if (sum.size() > MAX_RESOURCES || ports.size() > MAX_HOST_PORTS) {
            violations.add(
                    CONTAINERS,
                    "must request at most " + MAX_RESOURCES + " resources and " + MAX_HOST_PORTS
                            + " host ports together, had " + sum.size() + " and " + ports.size());
        }
        return PodRequests.of(ResourceAmounts.rounded(sum), ports);
    }

    /** See {@code CalculateResource} of {@code framework}. */
    private PodRequests.NonZero nonZeroTaken() {
        Map<String, BigDecimal> defaults = new HashMap<>(NON_ZERO);
        if (!wholePod.isEmpty()) {
            defaults.keySet().removeAll(sum(Map.of()).keySet());
        }
        return nonZero(sum(defaults));
    }

    private static PodRequests.NonZero nonZero(Map<String, BigDecimal> sum) {
        Map<String, Long> rounded = ResourceAmounts.rounded(sum);
        return new PodRequests.NonZero(
                rounded.getOrDefault(PodRequests.CPU, 0L), rounded.getOrDefault(PodRequests.MEMORY, 0L));
    }

    /** Reads all amounts and ports; returns false if containers are not given, or are too many. */
    private boolean read() {
        if (spec.getContainersCount() + spec.getInitContainersCount() == 0
                || !limits.admitEntries(spec.getContainersCount(), CONTAINERS, violations)
                || !limits.admitEntries(spec.getInitContainersCount(), INIT_CONTAINERS, violations)) {
            return false;
        }
        readStatuses(status.getContainerStatusesList(), STATUS.field("containerStatuses"));
        readStatuses(status.getInitContainerStatusesList(), STATUS.field("initContainerStatuses"));
        for (int i = 0; i < spec.getContainersCount(); i++) {
            FieldPath field = CONTAINERS.index(i);
            containers.add(running(spec.getContainers(i), field));
            addPorts(spec.getContainers(i), field);
        }
        for (int i = 0; i < spec.getInitContainersCount(); i++) {
            Container container = spec.getInitContainers(i);
            FieldPath field = INIT_CONTAINERS.index(i);
            if (isSidecar(container)) {
                initContainers.add(running(container, field));
                addPorts(container, field);
            } else {
                initContainers.add(requests(container.getResources(), field.field(RESOURCES)));
            }
        }
        wholePod = ofWholePod();
        overhead = read(spec.getOverheadMap(), SPEC.field("overhead"));
        return true;
    }

    private static boolean isSidecar(Container container) {
        return container.getRestartPolicy().equals(ALWAYS);
    }

    /**
     * The sum of what was read.
     *
     * @param defaults what a container counts as asking for of a resource that it does not name
     */
    private Map<String, BigDecimal> sum(Map<String, BigDecimal> defaults) {
        Map<String, BigDecimal> sum = new HashMap<>();
        containers.forEach(its -> ResourceAmounts.add(sum, with(defaults, its)));
        Map<String, BigDecimal> sidecars = new HashMap<>();
        Map<String, BigDecimal> least = new HashMap<>();
        for (int i = 0; i < initContainers.size(); i++) {
            Map<String, BigDecimal> its = with(defaults, initContainers.get(i));
            if (isSidecar(spec.getInitContainers(i))) {
                ResourceAmounts.add(sum, its);
                ResourceAmounts.add(sidecars, its);
                ResourceAmounts.raise(least, sidecars);
            } else {
                ResourceAmounts.add(its, sidecars);
                ResourceAmounts.raise(least, its);
            }
        }
        ResourceAmounts.raise(sum, least);
        sum.putAll(wholePod);
        ResourceAmounts.add(sum, overhead);
        return sum;
    }

    private static Map<String, BigDecimal> with(Map<String, BigDecimal> defaults, Map<String, BigDecimal> amounts) {
        Map<String, BigDecimal> all = new HashMap<>(defaults);
        all.putAll(amounts);
        return all;
    }

    private void readStatuses(List<ContainerStatus> statuses, FieldPath field) {
        for (int i = 0; i < statuses.size(); i++) {
            ContainerStatus its = statuses.get(i);
            // Of several with one name, the last counts.
            resized.remove(its.getName());
            if (its.hasResources()) {
                resized.put(its.getName(), resized(its.getResources(), its.getAllocatedResourcesMap(), field.index(i)));
            }
        }
    }

    private Map<String, BigDecimal> resized(
            ResourceRequirements actual, Map<String, StringValue> allocated, FieldPath field) {
        Map<String, BigDecimal> amounts = requests(actual, field.field(RESOURCES));
        ResourceAmounts.raise(amounts, read(allocated, field.field(ALLOCATED)));
        return amounts;
    }

    /** The amounts of a container that runs side by side with others. */
    private Map<String, BigDecimal> running(Container container, FieldPath field) {
        return effective(requests(container.getResources(), field.field(RESOURCES)), resized.get(container.getName()));
    }

    private Map<String, BigDecimal> effective(
            Map<String, BigDecimal> ofSpec, @Nullable Map<String, BigDecimal> ofStatus) {
        if (ofStatus == null) {
            return ofSpec;
        }
        Map<String, BigDecimal> amounts = infeasible ? new HashMap<>() : ofSpec;
        ResourceAmounts.raise(amounts, ofStatus);
        return amounts;
    }

    /** The amounts that replace those of the containers. */
    private Map<String, BigDecimal> ofWholePod() {
        Map<String, BigDecimal> asked = requests(spec.getResources(), SPEC.field(RESOURCES));
        asked.keySet().removeIf(name -> !ResourceAmounts.isOfPods(name));
        if (asked.isEmpty() || !status.hasResources()) {
            return asked;
        }
        Map<String, BigDecimal> amounts = new HashMap<>(asked);
        amounts.replaceAll((name, amount) -> BigDecimal.ZERO);
        Map<String, BigDecimal> counted =
                effective(asked, resized(status.getResources(), status.getAllocatedResourcesMap(), STATUS));
        counted.keySet().retainAll(amounts.keySet());
        amounts.putAll(counted);
        return amounts;
    }

    private Map<String, BigDecimal> requests(ResourceRequirements resources, FieldPath field) {
        return read(resources.getRequestsMap(), field.field(REQUESTS));
    }

    private Map<String, BigDecimal> read(Map<String, StringValue> quantities, FieldPath field) {
        return ResourceAmounts.read(quantities, field, violations);
    }

    private void addPorts(Container container, FieldPath field) {
        for (int i = 0; i < container.getPortsCount(); i++) {
            ContainerPort port = container.getPorts(i);
            if (port.getHostPort() > LAST_PORT) {
                violations.add(
                        field.field("ports").index(i).field("hostPort"),
                        "must be at most " + LAST_PORT + ", was " + port.getHostPort());
            } else if (port.getHostPort() > 0) {
                ports.add(new HostPort(port.getHostIp(), port.getProtocol(), port.getHostPort()));
            }
        }
    }
}
