package io.evenkeel.engine.naive;

import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.ScriptTarget;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The model as a subject of scripts. */
public final class ModelSubject implements ScriptTarget {
    private final ClusterModel model = new ClusterModel();

    @Override
    public void apply(Step step) {
        if (step instanceof Step.FromElsewhere elsewhere) {
            model.setFromElsewhere(true);
            apply(elsewhere.event());
            model.setFromElsewhere(false);
        } else if (step instanceof Step.NodeEvent event) {
            model.apply(event.change(), event.node());
        } else if (step instanceof Step.PodEvent event) {
            model.apply(event.change(), event.pod());
        } else if (step instanceof Step.OwnerEvent event) {
            model.apply(event.change(), event.owner());
        } else if (step instanceof Step.BeginSnapshot begin) {
            model.beginSnapshot(begin.kinds());
        } else if (step instanceof Step.EndSnapshot end) {
            model.endSnapshot(end.lists());
        } else if (step instanceof Step.AbandonSnapshot abandon) {
            model.abandonSnapshot(abandon.kinds());
        } else if (step instanceof Step.Assume assume) {
            model.assume(assume.pod(), assume.expiresAt());
        } else if (step instanceof Step.Forget forget) {
            model.forget(forget.uid());
        } else if (step instanceof Step.Expire expire) {
            model.expire(expire.now());
        }
    }

    public ClusterModel model() {
        return model;
    }

    @Override
    public Answers ask(ScriptedQuery query) {
        if (query instanceof ScriptedQuery.WhatIf whatIf) {
            return new Answers.WhatIf(
                    model.whatIf(whatIf.pod(), whatIf.defaults(), whatIf.node(), whatIf.overlay()),
                    model.whatIfFitting(whatIf.pod(), whatIf.defaults(), whatIf.node(), whatIf.overlay()),
                    model.unknown(whatIf.overlay()));
        }
        Set<String> named = ((ScriptedQuery.Placement) query).candidates();
        Set<String> candidates = named == null ? model.nodeNames() : named;
        Overlay overlay = query.overlay();
        Map<String, Verdict> verdicts = model.filter(query.pod(), query.defaults(), overlay, candidates);
        Map<String, Reason> shutOut = model.shutOut(query.pod(), candidates);
        Map<String, Verdict> fitting = model.filterFitting(query.pod(), query.defaults(), overlay, candidates);
        Set<String> passed = passed(verdicts);
        Set<String> entered = new TreeSet<>(passed);
        entered.removeAll(shutOut.keySet());
        return new Answers.Placement(
                verdicts,
                model.score(query.pod(), query.defaults(), overlay, passed),
                model.score(query.pod(), query.defaults(), overlay, candidates),
                shutOut,
                named == null ? model.score(query.pod(), query.defaults(), overlay, entered) : null,
                new Answers.Fitting(
                        fitting,
                        model.score(query.pod(), query.defaults(), overlay, passed(fitting)),
                        model.podsWithoutRequests(),
                        model.nodesWithoutAllocatable()),
                model.unknown(overlay));
    }

    private static Set<String> passed(Map<String, Verdict> verdicts) {
        Set<String> passed = new TreeSet<>(verdicts.keySet());
        passed.removeIf(node -> !Verdict.SUCCESS.equals(verdicts.get(node)));
        return passed;
    }
}
