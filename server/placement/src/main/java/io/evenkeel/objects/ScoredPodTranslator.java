package io.evenkeel.objects;

import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PreferredSchedulingTerm;
import java.util.ArrayList;
import java.util.List;

/** Reads a pod's fields that kube-scheduler's scores use. */
public final class ScoredPodTranslator {
    /** Each node is compared with each of them while a lock is held. */
    private static final int MAX_REQUIREMENTS = 100;

    private static final int MAX_WEIGHT = 100;
    private static final FieldPath TERMS = FieldPath.ROOT
            .field("spec")
            .field("affinity")
            .field("nodeAffinity")
            .field("preferredDuringSchedulingIgnoredDuringExecution");

    private ScoredPodTranslator() {}

    /**
     * Converts a pod that is to be placed.
     *
     * @throws InvalidObjectException if the pod is invalid; lists every violation
     */
    public static ScoredPod translate(PodSpec spec, PodLimits limits) throws InvalidObjectException {
        return new ScoredPod(preferences(spec, limits), RequestsTranslator.scored(spec, limits));
    }

    /** The terms of the preferred node affinity; without those that are empty, which match no node. */
    public static List<ScoredPod.Preference> preferences(PodSpec spec, PodLimits limits) throws InvalidObjectException {
        Violations violations = new Violations();
        List<PreferredSchedulingTerm> terms =
                spec.getAffinity().getNodeAffinity().getPreferredDuringSchedulingIgnoredDuringExecutionList();
        List<ScoredPod.Preference> preferences = new ArrayList<>();
        NodeTermTranslator translator = new NodeTermTranslator(limits, violations);
        int requirements = 0;
        for (int i = 0; i < terms.size(); i++) {
            FieldPath field = TERMS.index(i);
            int weight = terms.get(i).getWeight();
            if (weight < 1 || weight > MAX_WEIGHT) {
                violations.add(field.field("weight"), "must be from 1 to " + MAX_WEIGHT + ", was " + weight);
            }
            NodeTerm term = translator.translate(terms.get(i).getPreference(), field.field("preference"));
            int size = term.matchExpressions().size() + term.matchFields().size();
            requirements += size;
            if (size > 0) {
                preferences.add(new ScoredPod.Preference(weight, term));
            }
        }
        if (requirements > MAX_REQUIREMENTS) {
            violations.add(
                    TERMS, "must have at most " + MAX_REQUIREMENTS + " requirements together, had " + requirements);
        }
        violations.throwIfAny();
        return preferences;
    }
}
