package io.evenkeel.loadtest.kube;

import io.evenkeel.engine.Answers;
import io.evenkeel.engine.ModelSubject;
import io.evenkeel.engine.Query;
import io.evenkeel.engine.Step;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.loadtest.controlplane.Kind;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.v1.Pod;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** What the answers must be at given versions: by the engine's model, from a recorded history. */
final class Model {
    private final EtcdHistory history;
    private final IncomingPodTranslator translator = new IncomingPodTranslator(PodLimits.DEFAULT);

    Model(EtcdHistory history) {
        this.history = history;
    }

    /** For each node, Filter's verdict, and after it the score of a node that passed. */
    Map<String, String> verdicts(Pod pod, Map<Kind, Long> versions) throws InvalidObjectException {
        ModelSubject model = new ModelSubject();
        for (Kind kind : Kind.values()) {
            for (Step object : history.objects(kind, Objects.requireNonNull(versions.get(kind)))) {
                model.apply(object);
            }
        }
        Answers.Placement answers = (Answers.Placement)
                model.ask(new Query.Placement(translator.translate(pod), SpreadDefaults.SYSTEM, null));
        Map<String, String> verdicts = new TreeMap<>();
        answers.verdicts()
                .forEach((node, verdict) -> verdicts.put(
                        node,
                        verdict.code() == VerdictCode.SUCCESS
                                ? verdict.code() + " "
                                        + answers.scoresOfPassed().get(node)
                                : verdict.code().toString()));
        return verdicts;
    }
}
