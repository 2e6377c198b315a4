package io.evenkeel.placement.explain;

import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanation.Cause;
import io.evenkeel.engine.explain.Explanation.ConstraintState;
import io.evenkeel.engine.explain.Explanation.DomainCount;
import io.evenkeel.engine.explain.Explanation.Verdict;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.Reason;
import java.util.List;

/** Describes why a node is excluded. Unlike {@link Reason#text}, it names the taint or the constraint. */
final class CauseText {
    private final List<ConstraintState> constraints;

    CauseText(Explanation explanation) {
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

    private static String beforeSpread(Cause cause) {
        return switch (cause.reason()) {
            case UNSCHEDULABLE -> "cordoned";
            case UNTOLERATED_TAINT -> cause.taint() == null ? "taint" : "taint " + text(cause.taint());
            case NODE_AFFINITY -> "node affinity/selector";
            case MISSING_LABEL, SKEW -> throw new IllegalArgumentException(cause + " is a cause of spreading");
        };
    }

    /** A taint in kubectl's notation: {@code gpu=yes:NoSchedule}, {@code full:NoSchedule}. */
    private static String text(NodeTaint taint) {
        return taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":" + taint.effect();
    }
}
