package io.evenkeel.objects;

import com.google.protobuf.StringValue;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ResourceRequirements;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sets what an API server sets in a pod that it creates, as far as the pod's requests depend on it
 * ({@code SetDefaults_Pod} and {@code SetDefaults_ResourceList}). A pod that has these fields is not changed.
 */
public final class PodDefaults {
    private static final int MILLI = 3;

    private PodDefaults() {}

    /** Sets the defaults in a spec. */
    public static void apply(PodSpec.Builder spec) {
        List<Container.Builder> containers = Stream.concat(
                        spec.getContainersBuilderList().stream(), spec.getInitContainersBuilderList().stream())
                .toList();
        for (Container.Builder container : containers) {
            if (container.hasResources()) {
                applyToContainer(container.getResourcesBuilder());
            }
            if (spec.getHostNetwork()) {
                container.getPortsBuilderList().stream()
                        .filter(port -> port.getHostPort() == 0)
                        .forEach(port -> port.setHostPort(port.getContainerPort()));
            }
        }
        if (spec.hasResources()) {
            applyToPod(spec.getResourcesBuilder(), containers);
        }
        spec.putAllOverhead(rounded(spec.getOverheadMap()));
    }

    /** What has a limit but no request requests its limit. */
    private static void applyToContainer(ResourceRequirements.Builder resources) {
        Map<String, StringValue> requests = rounded(resources.getRequestsMap());
        resources.putAllRequests(rounded(resources.getLimitsMap())).putAllRequests(requests);
    }

    /** The same for the whole pod, except that its containers may already request cpu or memory. */
    private static void applyToPod(ResourceRequirements.Builder resources, List<Container.Builder> containers) {
        Map<String, StringValue> requests = rounded(resources.getRequestsMap());
        rounded(resources.getLimitsMap()).forEach((name, limit) -> {
            boolean overcommitted = name.equals("cpu") || name.equals("memory");
            if (ResourceAmounts.isOfPods(name)
                    && !(overcommitted
                            && containers.stream()
                                    .anyMatch(container ->
                                            container.getResources().containsRequests(name)))) {
                resources.putRequests(name, limit);
            }
        });
        resources.putAllRequests(requests);
    }

    /** The quantities, each rounded up to a milli-unit. */
    private static Map<String, StringValue> rounded(Map<String, StringValue> quantities) {
        return quantities.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> rounded(each.getValue())));
    }

    private static StringValue rounded(StringValue quantity) {
        BigDecimal value = Quantities.parse(quantity.getValue());
        return value == null || value.scale() <= MILLI
                ? quantity
                : StringValue.of(value.setScale(MILLI, RoundingMode.UP).toPlainString());
    }
}
