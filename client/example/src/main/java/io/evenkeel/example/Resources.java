package io.evenkeel.example;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/**
 * Resources of a node, or requests of pods. Evenkeel's messages do not declare these fields, but preserve them as
 * unknown fields. The field numbers are those of {@code k8s.io/api}.
 *
 * @param cpu in millicores
 * @param memory in bytes
 */
record Resources(long cpu, long memory, long pods) {
    static final Resources NONE = new Resources(0, 0, 0);

    private static final int CONTAINERS = 2;
    private static final int INIT_CONTAINERS = 20;
    private static final int RESOURCES_OF_CONTAINER = 8;
    private static final int REQUESTS = 2;
    private static final int STATUS_OF_NODE = 3;
    private static final int ALLOCATABLE = 2;

    /** A pod's requests: the sum over its containers, or those of an init container if they are larger. */
    static Resources requestedBy(Pod pod) throws IOException {
        UnknownFieldSet spec = pod.getSpec().getUnknownFields();
        Resources together = new Resources(0, 0, 1);
        for (ByteString container : messages(spec, CONTAINERS)) {
            together = together.plus(requests(container));
        }
        for (ByteString before : messages(spec, INIT_CONTAINERS)) {
            Resources its = requests(before);
            together = new Resources(Math.max(together.cpu, its.cpu), Math.max(together.memory, its.memory), 1);
        }
        return together;
    }

    /** A node's allocatable resources. */
    static Resources allocatable(Node node) throws IOException {
        return listed(messages(node.getUnknownFields(), STATUS_OF_NODE), ALLOCATABLE);
    }

    private static Resources requests(ByteString container) throws IOException {
        return listed(messages(UnknownFieldSet.parseFrom(container), RESOURCES_OF_CONTAINER), REQUESTS);
    }

    /** Sums the ResourceLists in a field of these messages. A ResourceList maps names to quantities. */
    private static Resources listed(List<ByteString> in, int field) throws IOException {
        Resources sum = NONE;
        for (ByteString message : in) {
            for (ByteString entry : messages(UnknownFieldSet.parseFrom(message), field)) {
                UnknownFieldSet named = UnknownFieldSet.parseFrom(entry);
                String name = text(messages(named, 1));
                List<ByteString> quantity = messages(named, 2);
                String amount = quantity.isEmpty() ? "" : text(messages(UnknownFieldSet.parseFrom(quantity.get(0)), 1));
                sum = sum.plus(
                        switch (name) {
                            case "cpu" -> new Resources(amount(amount, 1_000), 0, 0);
                            case "memory" -> new Resources(0, amount(amount, 1), 0);
                            case "pods" -> new Resources(0, 0, amount(amount, 1));
                            default -> NONE;
                        });
            }
        }
        return sum;
    }

    private static List<ByteString> messages(UnknownFieldSet in, int field) {
        return in.getField(field).getLengthDelimitedList();
    }

    private static String text(List<ByteString> texts) {
        return texts.isEmpty() ? "" : texts.get(0).toStringUtf8();
    }

    /** A quantity such as {@code 1500m} or {@code 2Gi}, times {@code parts}, rounded up. */
    private static long amount(String quantity, int parts) throws IOException {
        try {
            return Quantity.parse(quantity)
                    .getNumericalAmount()
                    .multiply(BigDecimal.valueOf(parts))
                    .setScale(0, RoundingMode.CEILING)
                    .longValueExact();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IOException("invalid quantity, must be like 1500m or 2Gi, was '" + quantity + "'", e);
        }
    }

    Resources plus(Resources other) {
        return new Resources(cpu + other.cpu, memory + other.memory, pods + other.pods);
    }

    Resources minus(Resources other) {
        return new Resources(cpu - other.cpu, memory - other.memory, pods - other.pods);
    }

    boolean covers(Resources other) {
        return cpu >= other.cpu && memory >= other.memory && pods >= other.pods;
    }
}
