package io.evenkeel.placement.explain;

import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanation.Cause;
import io.evenkeel.engine.explain.Explanation.ConstraintState;
import io.evenkeel.engine.explain.Explanation.DomainCount;
import io.evenkeel.engine.explain.Explanation.Shortage;
import io.evenkeel.engine.explain.Explanation.Verdict;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.Reason;
import java.util.List;
import java.util.stream.Collectors;

/** Describes why a node is excluded. Unlike {@link Reason#text}, it names the taint or the constraint. */
final class CauseText {
    private static final List<String> BYTE_UNITS = List.of("", "Ki", "Mi", "Gi", "Ti");

    private final IncomingPod pod;
    private final List<ConstraintState> constraints;

    CauseText(IncomingPod pod, Explanation explanation) {
        this.pod = pod;
        constraints = explanation.constraints();
    }

    /** The cause, for a line about a domain of constraint {@code own}, whose name is not repeated. */
    String ofDomain(Cause cause, int own) {
        if (!cause.isSpread()) {
            return beforeSpread(cause);
        }
        if (cause.reason() == Reason.MISSING_LABEL) {
            return "no label " + key(cause);
        }
        return cause.constraint() == own ? "maxSkew" : "maxSkew of " + name(cause);
    }

    /** Why a node is excluded, with the figures; empty if it passed. */
    String ofNode(Verdict verdict) {
        Cause cause = verdict.cause();
        if (cause == null) {
            return "";
        }
        if (!verdict.shortages().isEmpty()) {
            return verdict.shortages().stream().map(CauseText::text).collect(Collectors.joining("; "));
        }
        if (!cause.isSpread()) {
            return beforeSpread(cause);
        }
        if (cause.reason() == Reason.MISSING_LABEL) {
            return "[" + cause.constraint() + "] no label " + key(cause);
        }
        int place = placeOf(cause);
        ConstraintState state = constraints.get(place);
        DomainCount count = verdict.domains().get(place);
        long skew = (long) count.matchingPods() + state.selfMatch() - state.minimum();
        return name(cause) + " " + count.domain() + ": " + count.matchingPods() + " + " + state.selfMatch() + " - "
                + state.minimum() + " = " + skew + " > maxSkew "
                + state.source().maxSkew();
    }

    /** A constraint by its index and topology key: {@code [1] kubernetes.io/hostname}. */
    static String name(ConstraintState state) {
        return "[" + state.index() + "] " + state.source().topologyKey();
    }

    private String name(Cause cause) {
        return name(constraints.get(placeOf(cause)));
    }

    private String key(Cause cause) {
        return constraints.get(placeOf(cause)).source().topologyKey();
    }

    private int placeOf(Cause cause) {
        for (int place = 0; place < constraints.size(); place++) {
            if (constraints.get(place).index() == cause.constraint()) {
                return place;
            }
        }
        throw new IllegalArgumentException("constraint " + cause.constraint() + " is not in force");
    }

    private String beforeSpread(Cause cause) {
        return switch (cause.reason()) {
            case NODE_NAMES_CONFLICT, NOT_NAMED_BY_AFFINITY -> "node names of the node affinity";
            case UNSCHEDULABLE -> "cordoned";
            case NODE_NAME -> "nodeName " + pod.nodeName();
            case UNTOLERATED_TAINT -> cause.taint() == null ? "taint" : "taint " + text(cause.taint());
            case NODE_AFFINITY -> "node affinity/selector";
            case HOST_PORTS ->
                "host port "
                        + pod.requests().hostPorts().stream()
                                .map(CauseText::text)
                                .collect(Collectors.joining(" or "));
            case RESOURCES_OF_NODE, FREE_RESOURCES -> String.join(" and ", cause.messages());
            case MISSING_LABEL, SKEW -> throw new IllegalArgumentException(cause + " is a cause of spreading");
        };
    }

    private static String text(HostPort port) {
        return port.port() + "/" + port.protocol();
    }

    /** For example {@code cpu: requested 500m, free 200m of 4}. */
    private static String text(Shortage shortage) {
        return shortage.resource() + ": requested " + amount(shortage, shortage.requested()) + ", free "
                + amount(shortage, shortage.free()) + " of " + amount(shortage, shortage.allocatable());
    }

    private static String amount(Shortage of, long amount) {
        return switch (of.resource()) {
            case PodRequests.CPU -> amount % 1_000 == 0 ? Long.toString(amount / 1_000) : amount + "m";
            case PodRequests.MEMORY, PodRequests.EPHEMERAL_STORAGE -> bytes(amount);
            default -> of.resource().startsWith("hugepages-") ? bytes(amount) : Long.toString(amount);
        };
    }

    /** In the largest unit that loses nothing: 1Gi, 1536Mi. */
    private static String bytes(long amount) {
        long left = amount;
        int unit = 0;
        while (left != 0 && left % 1_024 == 0 && unit < BYTE_UNITS.size() - 1) {
            left /= 1_024;
            unit++;
        }
        return left + BYTE_UNITS.get(unit);
    }

    /** A taint in kubectl's notation: {@code gpu=yes:NoSchedule}, {@code full:NoSchedule}. */
    private static String text(NodeTaint taint) {
        return taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":" + taint.effect();
    }
}
