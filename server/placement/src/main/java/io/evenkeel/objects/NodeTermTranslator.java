package io.evenkeel.objects;

import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;

/** Converts terms of node affinities. They are not validated, but their size is limited. */
final class NodeTermTranslator {
    private final PodLimits limits;
    private final Violations violations;

    NodeTermTranslator(PodLimits limits, Violations violations) {
        this.limits = limits;
        this.violations = violations;
    }

    /** The term in a field. */
    NodeTerm translate(NodeSelectorTerm term, FieldPath field) {
        return new NodeTerm(
                requirements(term.getMatchExpressionsList(), field.field("matchExpressions")),
                requirements(term.getMatchFieldsList(), field.field("matchFields")));
    }

    private List<NodeRequirement> requirements(List<NodeSelectorRequirement> requirements, FieldPath field) {
        List<NodeRequirement> translated = new ArrayList<>(requirements.size());
        if (limits.admitEntries(requirements.size(), field, violations)) {
            for (int i = 0; i < requirements.size(); i++) {
                NodeSelectorRequirement requirement = requirements.get(i);
                FieldPath valuesField = field.index(i).field("values");
                if (limits.admitEntries(requirement.getValuesCount(), valuesField, violations)) {
                    translated.add(new NodeRequirement(
                            requirement.getKey(), requirement.getOperator(), requirement.getValuesList()));
                }
            }
        }
        return translated;
    }
}
