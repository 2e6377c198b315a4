package io.evenkeel.lab.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.v1.Pod;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The expected answers at given versions, computed by the engine's model from a recorded history. */
final class Model {
    private final EtcdHistory history;
    private final IncomingPodTranslator translator = new IncomingPodTranslator(PodLimits.DEFAULT);

    /** The state at the last versions: consecutive answers often name the same ones. */
    private ModelSubject last = new ModelSubject();

    private Map<ObjectKind, Long> lastVersions = Map.of();

    Model(EtcdHistory history) {
        this.history = history;
    }

    /** The content of a correct answer. */
    Map<String, String> values(@Nullable Pod pod, Map<ObjectKind, Long> versions) throws InvalidObjectException {
        return pod == null ? numbers(versions) : verdicts(pod, versions);
    }

    private Map<String, String> numbers(Map<ObjectKind, Long> versions) {
        Set<String> nodes = new HashSet<>();
        for (Step object : objects(ObjectKind.NODE, versions)) {
            nodes.add(((Step.NodeEvent) object).node().name());
        }
        List<PodObject> pods = objects(ObjectKind.POD, versions).stream()
                .map(object -> ((Step.PodEvent) object).pod())
                .toList();
        List<PodObject> bound =
                pods.stream().filter(pod -> !pod.nodeName().isEmpty()).toList();
        long onNodes =
                bound.stream().filter(pod -> nodes.contains(pod.nodeName())).count();
        long counted = bound.stream()
                .filter(pod -> nodes.contains(pod.nodeName()) && !pod.terminating() && !pod.finished())
                .count();
        long owners = 0;
        for (ObjectKind kind : ObjectKind.OWNERS) {
            owners += objects(kind, versions).size();
        }
        Map<String, String> numbers = new TreeMap<>();
        numbers.put(VersionedAnswer.NODES, Integer.toString(nodes.size()));
        numbers.put(VersionedAnswer.PODS, Integer.toString(pods.size()));
        numbers.put(VersionedAnswer.COUNTED_PODS, Long.toString(counted));
        numbers.put(VersionedAnswer.LOST_PODS, Long.toString(bound.size() - onNodes));
        numbers.put(VersionedAnswer.OWNERS, Long.toString(owners));
        numbers.put(
                VersionedAnswer.BUDGETS,
                Integer.toString(
                        objects(ObjectKind.POD_DISRUPTION_BUDGET, versions).size()));
        return numbers;
    }

    private List<Step> objects(ObjectKind kind, Map<ObjectKind, Long> versions) {
        return history.objects(kind, Objects.requireNonNull(versions.get(kind)));
    }

    private Map<String, String> verdicts(Pod pod, Map<ObjectKind, Long> versions) throws InvalidObjectException {
        if (!versions.equals(lastVersions)) {
            last = new ModelSubject();
            for (ObjectKind kind : ObjectKind.OF_PLACEMENT) {
                objects(kind, versions).forEach(last::apply);
            }
            lastVersions = versions;
        }
        Answers.Placement answers = (Answers.Placement)
                last.ask(new ScriptedQuery.Placement(translator.translate(pod), SpreadDefaults.SYSTEM, null));
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
