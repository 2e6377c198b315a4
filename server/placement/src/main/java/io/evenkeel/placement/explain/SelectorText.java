package io.evenkeel.placement.explain;

import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodSelector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes label selectors in kubectl's notation. */
final class SelectorText {
    private SelectorText() {}

    /**
     * A selector, for example {@code app=web,tier in (a,b),!legacy}. A missing selector is {@code <none>} and matches
     * no pods; one without requirements is {@code <empty>} and counts no pods.
     */
    static String of(@Nullable PodSelector selector) {
        if (selector == null) {
            return "<none>";
        }
        if (selector.isEmpty()) {
            return "<empty>";
        }
        return selector.requirements().stream().map(SelectorText::of).collect(Collectors.joining(","));
    }

    static String of(LabelRequirement requirement) {
        String key = requirement.key();
        String values = "(" + String.join(",", requirement.values()) + ")";
        return switch (requirement.operator()) {
            case IN ->
                requirement.values().size() == 1
                        ? key + "=" + requirement.values().get(0)
                        : key + " in " + values;
            case NOT_IN -> key + " notin " + values;
            case EXISTS -> key;
            case DOES_NOT_EXIST -> "!" + key;
        };
    }
}
