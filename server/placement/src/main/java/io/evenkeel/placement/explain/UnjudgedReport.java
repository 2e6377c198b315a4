package io.evenkeel.placement.explain;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.AntiAffinityTerm;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAffinityTerm;
import io.evenkeel.v1.PodResourceClaim;
import io.evenkeel.v1.PodSchedulingGate;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Unjudged;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.Volume;
import java.util.List;
import java.util.stream.Collectors;

/** Describes the rules that can exclude nodes for a pod but are not judged. */
final class UnjudgedReport {
    private final SpreadEngine engine;
    private final IncomingPod pod;
    private final PodSpec spec;

    /** @param message the message that {@code pod} was read from */
    UnjudgedReport(SpreadEngine engine, Pod message, IncomingPod pod) {
        this.engine = engine;
        this.pod = pod;
        spec = message.getSpec();
    }

    /** @param rules see {@link UnjudgedRules} */
    List<Unjudged> of(int rules) {
        return UnjudgedRules.list(rules).stream()
                .map(rule -> Unjudged.newBuilder()
                        .setRule(rule)
                        .setMessage(message(rule))
                        .build())
                .toList();
    }

    private String message(UnjudgedRule rule) {
        return switch (rule) {
            case UNJUDGED_RULE_VOLUMES -> volumes();
            case UNJUDGED_RULE_POD_AFFINITY ->
                "The pod has required pod affinity"
                        + keys(spec.getAffinity()
                                .getPodAffinity()
                                .getRequiredDuringSchedulingIgnoredDuringExecutionList());
            case UNJUDGED_RULE_POD_ANTI_AFFINITY ->
                "The pod has required pod anti-affinity"
                        + keys(spec.getAffinity()
                                .getPodAntiAffinity()
                                .getRequiredDuringSchedulingIgnoredDuringExecutionList());
            case UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS -> ofOthers();
            case UNJUDGED_RULE_DYNAMIC_RESOURCES ->
                "The pod has resource claims"
                        + listed(spec.getResourceClaimsList().stream()
                                .map(PodResourceClaim::getName)
                                .toList());
            case UNJUDGED_RULE_SCHEDULING_GATES ->
                "The pod has scheduling gates"
                        + listed(spec.getSchedulingGatesList().stream()
                                .map(PodSchedulingGate::getName)
                                .toList());
            case UNJUDGED_RULE_UNSPECIFIED, UNRECOGNIZED -> throw new IllegalArgumentException(rule + " is no rule");
        };
    }

    private String volumes() {
        return "The pod has volumes that can restrict its nodes"
                + listed(spec.getVolumesList().stream()
                        .filter(UnjudgedReport::restricts)
                        .map(Volume::getName)
                        .toList());
    }

    private static boolean restricts(Volume volume) {
        return UnjudgedRules.of(PodSpec.newBuilder().addVolumes(volume).build()) != 0;
    }

    private static String keys(List<PodAffinityTerm> terms) {
        return listed(
                terms.stream().map(PodAffinityTerm::getTopologyKey).distinct().toList());
    }

    /** The names that are known, after a colon. */
    private static String listed(List<String> names) {
        String known = names.stream().filter(name -> !name.isEmpty()).collect(Collectors.joining(", "));
        return (known.isEmpty() ? "" : ": " + known) + ".";
    }

    private String ofOthers() {
        AntiAffinityTerm term = engine.antiAffinityTo(pod.namespace(), pod.labels(), Integer.MAX_VALUE);
        // Null if the last pod with such a term has gone since.
        return "A pod on a node has required anti-affinity to this pod"
                + (term == null
                        ? "."
                        : ": to "
                                + (term.selector().isEmpty()
                                        ? "every pod"
                                        : "pods with " + SelectorText.of(term.selector()))
                                + " in the same " + term.topologyKey() + ".");
    }
}
