package io.evenkeel.objects;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.model.LabelSyntax;
import io.evenkeel.engine.model.PodRequests;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;

/** Amounts of resources by name: reads them from messages, adds them up, and rounds them to the engine's units. */
final class ResourceAmounts {
    static final String PODS = "pods";

    private static final String HUGE_PAGES = "hugepages-";
    private static final int MILLI = 3;

    private ResourceAmounts() {}

    /** The amounts, exactly. Adds a violation for each text that is not a quantity or is negative. */
    static Map<String, BigDecimal> read(Map<String, StringValue> quantities, FieldPath field, Violations violations) {
        Map<String, BigDecimal> amounts = new HashMap<>();
        quantities.forEach((name, quantity) -> {
            BigDecimal amount = Quantities.parse(quantity.getValue());
            if (amount == null) {
                violations.add(
                        field.key(name),
                        "must be a quantity such as 250m or 1.5Gi, was " + Quotes.quoted(quantity.getValue()));
            } else if (amount.signum() < 0) {
                violations.add(field.key(name), "must not be negative, was " + Quotes.quoted(quantity.getValue()));
            } else {
                amounts.put(name, amount);
            }
        });
        return amounts;
    }

    static void add(Map<String, BigDecimal> sum, Map<String, BigDecimal> more) {
        more.forEach((name, amount) -> sum.merge(name, amount, BigDecimal::add));
    }

    static void raise(Map<String, BigDecimal> least, Map<String, BigDecimal> others) {
        others.forEach((name, amount) -> least.merge(name, amount, BigDecimal::max));
    }

    /** The resources that kube-scheduler counts: cpu in millicores, all else in whole units, each rounded up. */
    static Map<String, Long> rounded(Map<String, BigDecimal> amounts) {
        Map<String, Long> rounded = new HashMap<>();
        amounts.forEach((name, amount) -> {
            if (counts(name)) {
                rounded.put(
                        name, Quantities.ceiling(name.equals(PodRequests.CPU) ? amount.movePointRight(MILLI) : amount));
            }
        });
        return rounded;
    }

    /** See {@code Resource.Add} and {@code IsScalarResourceName} of kube-scheduler. */
    private static boolean counts(String name) {
        return switch (name) {
            case PodRequests.CPU, PodRequests.MEMORY, PodRequests.EPHEMERAL_STORAGE -> true;
            default ->
                name.startsWith(HUGE_PAGES)
                        || name.startsWith("attachable-volumes-")
                        || name.contains("kubernetes.io/")
                        || isExtended(name);
        };
    }

    /** A resource with a domain. Its quota, which has a prefix, must be a valid name as well. */
    private static boolean isExtended(String name) {
        return name.contains("/") && !name.startsWith("requests.") && LabelSyntax.isKey("requests." + name);
    }

    /** Whether the requests of the pod as a whole can name it. */
    static boolean isOfPods(String name) {
        return name.equals(PodRequests.CPU) || name.equals(PodRequests.MEMORY) || name.startsWith(HUGE_PAGES);
    }
}
