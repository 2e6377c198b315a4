package io.evenkeel.placement;

import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.UnjudgedRule;
import java.util.List;

/** The rules by which nodes are chosen, as requests name them. */
final class PlacementRules {
    /** The images of nodes, and the affinity of the pods on them, are not stored. So both can always matter. */
    private static final List<String> NEVER_SCORED = List.of("ImageLocality", "InterPodAffinity");

    private static final List<String> NOT_SCORED_WITH_CLAIMS =
            List.of("DynamicResources", "ImageLocality", "InterPodAffinity");

    private PlacementRules() {}

    /** The rule that a request names, which must be known. */
    static PlacementRule of(io.evenkeel.v1.PlacementRule requested) {
        return switch (requested) {
            case PLACEMENT_RULE_UNSPECIFIED, PLACEMENT_RULE_SPREAD -> PlacementRule.SPREAD;
            case PLACEMENT_RULE_FIRST -> PlacementRule.FIRST;
            case PLACEMENT_RULE_STOCK -> PlacementRule.STOCK;
            case UNRECOGNIZED -> throw new IllegalArgumentException("the rule must be known");
        };
    }

    /**
     * The score plugins of kube-scheduler that are not part of a rule's sum, and could change the nodes of pods.
     *
     * @param unjudged the rules that are not judged for the pods; see {@link UnjudgedRules}
     */
    static List<String> notScored(PlacementRule rule, int unjudged) {
        if (rule != PlacementRule.STOCK) {
            return List.of();
        }
        boolean claims = (unjudged & UnjudgedRules.bit(UnjudgedRule.UNJUDGED_RULE_DYNAMIC_RESOURCES)) != 0;
        return claims ? NOT_SCORED_WITH_CLAIMS : NEVER_SCORED;
    }
}
