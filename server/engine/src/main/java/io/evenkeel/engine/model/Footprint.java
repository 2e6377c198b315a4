package io.evenkeel.engine.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the heap size of the texts, lists and maps that callers send and plans keep. The estimate serves to bound
 * memory, not to measure it. Arrays of known length are counted by their owners.
 */
public final class Footprint {
    /** Bytes of a record or small object with its fields. */
    public static final long OBJECT = 64;

    /** Bytes of an entry of a map or a set. */
    public static final long ENTRY = 64;

    private static final long TEXT = 56;

    private Footprint() {}

    static long of(String text) {
        return TEXT + text.length();
    }

    public static long of(List<String> texts) {
        long bytes = OBJECT;
        for (String text : texts) {
            bytes += of(text);
        }
        return bytes;
    }

    public static long of(Map<String, String> texts) {
        long bytes = OBJECT;
        for (Map.Entry<String, String> pair : texts.entrySet()) {
            bytes += ENTRY + of(pair.getKey()) + of(pair.getValue());
        }
        return bytes;
    }

    public static long of(@Nullable PodSelector selector) {
        long bytes = OBJECT;
        if (selector != null) {
            for (LabelRequirement requirement : selector.requirements()) {
                bytes += OBJECT + of(requirement.key()) + of(requirement.values());
            }
        }
        return bytes;
    }

    public static long ofTolerations(@Nullable List<TaintToleration> tolerations) {
        long bytes = OBJECT;
        if (tolerations != null) {
            for (TaintToleration toleration : tolerations) {
                bytes += OBJECT + of(toleration.key()) + of(toleration.value());
            }
        }
        return bytes;
    }

    public static long ofTerms(@Nullable List<NodeTerm> terms) {
        long bytes = OBJECT;
        if (terms != null) {
            for (NodeTerm term : terms) {
                bytes += OBJECT + ofRequirements(term.matchExpressions()) + ofRequirements(term.matchFields());
            }
        }
        return bytes;
    }

    private static long ofRequirements(List<NodeRequirement> requirements) {
        long bytes = OBJECT;
        for (NodeRequirement requirement : requirements) {
            bytes += OBJECT + of(requirement.key()) + of(requirement.values());
        }
        return bytes;
    }

    static long ofConstraints(List<SpreadConstraint> constraints) {
        long bytes = OBJECT;
        for (SpreadConstraint constraint : constraints) {
            bytes +=
                    OBJECT + of(constraint.topologyKey()) + of(constraint.selector()) + of(constraint.matchLabelKeys());
        }
        return bytes;
    }
}
