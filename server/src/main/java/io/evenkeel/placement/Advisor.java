package io.evenkeel.placement;

import io.evenkeel.engine.Explanation;
import io.evenkeel.engine.IncomingPod;
import io.evenkeel.engine.LabelSelector;
import io.evenkeel.engine.PodPlan;
import io.evenkeel.v1.Advice;
import java.util.ArrayList;
import java.util.List;

/** Finds what is likely a mistake in a pod's constraints. */
final class Advisor {
    private final IncomingPod pod;
    private final boolean hasDefaults;
    private final Explanation explanation;
    private final List<Advice> advice = new ArrayList<>();

    Advisor(PodPlan plan, Explanation explanation) {
        this.pod = plan.pod();
        this.hasDefaults = !plan.defaults().constraints().isEmpty();
        this.explanation = explanation;
    }

    /** @param ownersKnown whether the cluster has any object that gives default constraints their selector */
    List<Advice> advice(boolean ownersKnown) {
        if (pod.constraints().isEmpty() && hasDefaults && !ownersKnown) {
            add(
                    "spec.topologySpreadConstraints",
                    "there are none, and cluster-level default constraints need a Service, ReplicationController, ReplicaSet or StatefulSet"
                            + " that selects the pod: the cluster as it was told has none at all");
        }
        if (!explanation.fromDefaults()) {
            explanation.constraints().forEach(this::advise);
        }
        return advice;
    }

    private void advise(Explanation.ConstraintState state) {
        String field = "spec.topologySpreadConstraints[" + state.index() + "].";
        LabelSelector selector = state.selector();
        if (selector == null) {
            add(field + "labelSelector", "is absent: the constraint counts no pod");
        } else if (selector.isEmpty()) {
            add(field + "labelSelector", "is empty: the constraint counts no pod, though the pod matches it");
        } else if (state.selfMatch() == 0) {
            add(
                    field + "labelSelector",
                    "does not match the pod's own labels: placing it does not move the counts that "
                            + SelectorText.of(selector) + " gives");
        }
        String topologyKey = state.source().topologyKey();
        if (state.carriers() == 0) {
            add(field + "topologyKey", "no node carries the label " + topologyKey);
        }
        int minDomains = state.source().minDomains();
        if (minDomains > 0 && !state.source().hard()) {
            add(field + "minDomains", "has no effect with ScheduleAnyway");
        } else if (minDomains > state.totalDomains()) {
            add(
                    field + "minDomains",
                    "is " + minDomains + ", but there are only " + state.totalDomains() + " domains of " + topologyKey
                            + ": the global minimum is taken as 0");
        }
        List<String> keys = state.source().matchLabelKeys();
        for (int i = 0; i < keys.size(); i++) {
            if (!pod.labels().containsKey(keys.get(i))) {
                add(
                        field + "matchLabelKeys[" + i + "]",
                        "is left out: the pod does not carry the label " + keys.get(i));
            }
        }
    }

    private void add(String field, String message) {
        advice.add(Advice.newBuilder().setField(field).setMessage(message).build());
    }
}
