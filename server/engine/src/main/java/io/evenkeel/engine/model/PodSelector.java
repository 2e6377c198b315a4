package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A label selector: it matches if all its requirements hold. Requirements are kept sorted and without repetition, so
 * that selectors that differ only in the order of their requirements are equal and share counts.
 */
public record PodSelector(List<LabelRequirement> requirements) {
    private static final Comparator<LabelRequirement> ORDER = Comparator.comparing(LabelRequirement::key)
            .thenComparing(LabelRequirement::operator)
            .thenComparing(requirement -> String.join("\0", requirement.values()));

    /**
     * The selector without requirements. As a constraint's selector it counts no pod, yet it matches the incoming pod
     * itself.
     */
    public static final PodSelector EMPTY = new PodSelector(List.of());

    public PodSelector {
        requirements = requirements.size() < 2
                ? List.copyOf(requirements)
                : requirements.stream().distinct().sorted(ORDER).toList();
    }

    /** The selector that requires each key and value of {@code labels}. */
    public static PodSelector ofLabels(Map<String, String> labels) {
        return new PodSelector(labels.entrySet().stream()
                .map(label -> LabelRequirement.equal(label.getKey(), label.getValue()))
                .toList());
    }

    /** The selector with the requirements of both. */
    public PodSelector and(PodSelector other) {
        List<LabelRequirement> both = new ArrayList<>(requirements);
        both.addAll(other.requirements);
        return new PodSelector(both);
    }

    public boolean isEmpty() {
        return requirements.isEmpty();
    }

    /** Whether all requirements hold for {@code labels}; true for the empty selector. */
    public boolean matches(Map<String, String> labels) {
        for (LabelRequirement requirement : requirements) {
            if (!requirement.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(requirements);
    }
}
