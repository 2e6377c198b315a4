package io.evenkeel.objects;

import io.evenkeel.engine.model.AntiAffinityTerm;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAffinityTerm;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the required anti-affinity of a pod of the cluster. As in kube-scheduler ({@code GetPodAntiAffinityTerms} of
 * {@code framework}), a term without a selector matches no pod, and a term without namespaces is about those of the
 * pod's own.
 */
final class AntiAffinityTranslator {
    private AntiAffinityTranslator() {}

    static List<AntiAffinityTerm> terms(Pod pod) {
        List<AntiAffinityTerm> terms = new ArrayList<>();
        for (PodAffinityTerm term : pod.getSpec()
                .getAffinity()
                .getPodAntiAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecutionList()) {
            PodSelector selector =
                    term.hasLabelSelector() ? StoredObjectTranslator.parsed(term.getLabelSelector()) : null;
            if (selector != null) {
                terms.add(new AntiAffinityTerm(term.getTopologyKey(), namespaces(term, pod), selector));
            }
        }
        return terms;
    }

    /** Empty for every namespace, because the labels of namespaces are not known. */
    private static List<String> namespaces(PodAffinityTerm term, Pod pod) {
        if (term.hasNamespaceSelector()) {
            return List.of();
        }
        return term.getNamespacesCount() == 0
                ? List.of(pod.getMetadata().getNamespace())
                : term.getNamespacesList().stream().distinct().toList();
    }
}
