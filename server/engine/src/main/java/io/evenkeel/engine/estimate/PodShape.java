package io.evenkeel.engine.estimate;

import java.util.BitSet;
import java.util.List;

/** Pending pods that are alike. Arrays and sets are not copied, and must not change afterwards. */
public final class PodShape {
    final int pods;
    final long[] requests;
    final BitSet enterableNodes;
    final BitSet enterableTemplates;
    final List<HardConstraint> constraints;

    /**
     * @param pods how many, at least 0
     * @param requests what one pod takes of each resource, at least 0
     * @param enterableNodes the existing nodes that taints, node affinity and cordons allow
     * @param enterableTemplates the same of the templates
     * @param constraints the hard constraints; soft ones never keep a pod from a node, so they are omitted
     */
    public PodShape(
            int pods,
            long[] requests,
            BitSet enterableNodes,
            BitSet enterableTemplates,
            List<HardConstraint> constraints) {
        this.pods = pods;
        this.requests = requests;
        this.enterableNodes = enterableNodes;
        this.enterableTemplates = enterableTemplates;
        this.constraints = List.copyOf(constraints);
    }
}
