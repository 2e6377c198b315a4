package io.evenkeel.engine.naive;

import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.script.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The model's rules for whether a pod fits on one node, with its names, its ports and its resources. */
public final class FitRules {
    private static final List<String> NAMED_FIRST = List.of("cpu", "memory", "ephemeral-storage");

    private FitRules() {}

    /**
     * The first filter before the constraints that excludes the node, with its messages; null if none does.
     *
     * @param onNode the pods on the node that are not finished
     */
    public static @Nullable Verdict excluded(IncomingPod pod, NodeObject node, Collection<PodObject> onNode) {
        Reason notNamed = excludedByNames(pod, node.name());
        if (notNamed != null) {
            return Verdict.failed(notNamed);
        }
        Reason shutOut = NodeRules.shutOut(pod, node);
        boolean requested = pod.nodeName().isEmpty() || pod.nodeName().equals(node.name());
        if (!requested && shutOut != Reason.UNSCHEDULABLE) {
            return Verdict.failed(Reason.NODE_NAME);
        }
        if (shutOut != null) {
            return Verdict.failed(shutOut);
        }
        return isAnyPortTaken(pod.requests(), onNode)
                ? Verdict.failed(Reason.HOST_PORTS)
                : shortage(pod.requests(), node, onNode);
    }

    /** Whether each term of the affinity names nodes, and this one is not among them. */
    private static @Nullable Reason excludedByNames(IncomingPod pod, String node) {
        List<NodeTerm> terms = pod.affinityTerms();
        if (terms == null || terms.isEmpty()) {
            return null;
        }
        Set<String> named = new HashSet<>();
        for (NodeTerm term : terms) {
            Set<String> ofTerm = null;
            for (NodeRequirement field : term.matchFields()) {
                if (field.key().equals("metadata.name") && field.operator().equals("In")) {
                    Set<String> values = new HashSet<>(field.values());
                    if (ofTerm != null) {
                        values.retainAll(ofTerm);
                    }
                    ofTerm = values;
                }
            }
            if (ofTerm == null) {
                return null;
            }
            named.addAll(ofTerm);
        }
        if (named.isEmpty()) {
            return Reason.NODE_NAMES_CONFLICT;
        }
        return named.contains(node) ? null : Reason.NOT_NAMED_BY_AFFINITY;
    }

    private static boolean isAnyPortTaken(PodRequests asked, Collection<PodObject> onNode) {
        return asked.hostPorts().stream()
                .anyMatch(port -> onNode.stream()
                        .flatMap(pod -> pod.requests().hostPorts().stream())
                        .anyMatch(taken -> conflict(port, taken)));
    }

    private static boolean conflict(HostPort left, HostPort right) {
        boolean sameAddress = left.ip().equals(right.ip())
                || left.ip().equals("0.0.0.0")
                || right.ip().equals("0.0.0.0");
        return sameAddress && left.protocol().equals(right.protocol()) && left.port() == right.port();
    }

    private static @Nullable Verdict shortage(PodRequests asked, NodeObject node, Collection<PodObject> onNode) {
        NodeAllocatable allocatable =
                node.allocatable() == null ? new NodeAllocatable(0, Map.of()) : node.allocatable();
        List<String> messages = new ArrayList<>();
        if (onNode.size() + 1 > allocatable.pods()) {
            messages.add("Too many pods");
        }
        List<PodRequests.Amount> amounts = new ArrayList<>(asked.amounts());
        amounts.sort(Comparator.comparing((PodRequests.Amount amount) -> rank(amount.resource()))
                .thenComparing(PodRequests.Amount::resource));
        boolean exceedsNode = false;
        for (PodRequests.Amount amount : amounts) {
            long all = allocatable.amount(amount.resource());
            if (amount.amount() > all - taken(amount.resource(), onNode)) {
                messages.add("Insufficient " + amount.resource());
                exceedsNode |= amount.amount() > all;
            }
        }
        if (messages.isEmpty()) {
            return null;
        }
        return Verdict.failed(
                exceedsNode ? Reason.RESOURCES_OF_NODE : Reason.FREE_RESOURCES, String.join(", ", messages));
    }

    private static int rank(String resource) {
        int first = NAMED_FIRST.indexOf(resource);
        return first < 0 ? NAMED_FIRST.size() : first;
    }

    /** It may overflow, as kube-scheduler's sum does. */
    private static long taken(String resource, Collection<PodObject> onNode) {
        return onNode.stream()
                .flatMap(pod -> pod.requests().amounts().stream())
                .filter(amount -> amount.resource().equals(resource))
                .mapToLong(PodRequests.Amount::amount)
                .sum();
    }
}
