package io.evenkeel.placement.explain;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.engine.victims.RankedVictims;
import io.evenkeel.engine.victims.VictimQuestion;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.answer.MessageHandler;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.RankedVictim;
import io.evenkeel.v1.VictimStage;
import io.evenkeel.v1.WorkloadReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Answers RankVictims: which pods of a ReplicaSet to delete, in which order. Thread-safe. */
public final class RankVictimsHandler extends MessageHandler<RankVictimsRequest, RankVictimsResponse> {
    /** The kinds whose pods a ReplicaSet's rules choose from, and the kinds above them. */
    private static final Set<String> KINDS = Set.of("ReplicaSet", "ReplicationController", "Deployment", "Rollout");

    /** Why the victims of other kinds are not ranked. */
    private static final Map<String, String> OTHER_RULES = Map.of(
            "StatefulSet",
            "because a StatefulSet deletes the pod with the highest ordinal first",
            "DaemonSet",
            "because a DaemonSet has a pod on each of its nodes, and deletes one only when its node changes",
            "Job",
            "because a Job does not look at the deletion cost of its pods, which run to completion",
            "CronJob",
            "because Jobs do not look at the deletion cost of their pods, which run to completion");

    /** How many ReplicaSets a rejection names at most. */
    private static final int MAX_NAMED = 5;

    private final QueryServices services;
    private final IncomingPodTranslator translator;

    /** @param sessions finds the handler of the same method in a session */
    public RankVictimsHandler(QueryServices services, SessionLookup<RankVictimsHandler> sessions) {
        super(
                services.access(),
                RankVictimsRequest.parser(),
                RankVictimsRequest::getFreshness,
                RankVictimsRequest::getSession,
                sessions);
        this.services = services;
        translator = new IncomingPodTranslator(services.limits().pod());
    }

    @Override
    protected Prepared<RankVictimsResponse> prepare(RankVictimsRequest request) {
        WorkloadReference workload = request.getWorkload();
        if (workload.getNamespace().isEmpty()
                || workload.getKind().isEmpty()
                || workload.getName().isEmpty()) {
            throw RequestException.invalid("workload", "must have namespace, kind and name");
        }
        if (!KINDS.contains(workload.getKind())) {
            throw RequestException.invalid(
                    "workload.kind",
                    "must be Deployment, Rollout, ReplicaSet or ReplicationController, was "
                            + Quotes.quoted(workload.getKind()) + ", "
                            + OTHER_RULES.getOrDefault(
                                    workload.getKind(), "whose rules for choosing pods are not known"));
        }
        VictimQuestion question = new VictimQuestion(
                PodOwner.named(workload),
                Limits.orDefault(request.getCount(), Integer.MAX_VALUE, "count"),
                stages(request.getStagesList()));
        return stop -> answer(request, question, stop);
    }

    private Map<String, Integer> stages(List<VictimStage> stages) {
        Limits.admit(
                stages.stream().mapToInt(VictimStage::getPodsCount).sum() + stages.size(),
                services.limits().names(),
                "stages");
        Map<String, Integer> stageOf = new HashMap<>();
        for (int stage = 0; stage < stages.size(); stage++) {
            for (String pod : stages.get(stage).getPodsList()) {
                stageOf.putIfAbsent(pod, stage);
            }
        }
        return stageOf;
    }

    private RankVictimsResponse answer(RankVictimsRequest request, VictimQuestion question, StopSignal stop) {
        RankedVictims ranked = services.access()
                .engine()
                .rankVictims(
                        new StoredPodReader(translator, services.reader(), StoredPodReader.Readings.NONE),
                        question,
                        stop);
        String asked = question.workload().kind() + " "
                + Quotes.quoted(question.workload().namespace() + "/"
                        + question.workload().name());
        List<WorkloadName> controllers = ranked.controllers();
        if (controllers.isEmpty()) {
            throw RequestException.invalid("workload", "must have pods that are not finished: " + asked + " has none");
        }
        if (controllers.size() > 1) {
            throw RequestException.invalid(
                    "workload",
                    "must be one of the " + controllers.size() + " ReplicaSets of " + asked + " that have pods: "
                            + controllers.stream()
                                    .limit(MAX_NAMED)
                                    .map(each -> Quotes.quoted(each.name()))
                                    .collect(Collectors.joining(", ")));
        }
        if (!ranked.error().isEmpty()) {
            throw RequestException.invalid(
                    "workload", "must have pods whose constraints can be read: " + ranked.error());
        }
        WorkloadName controller = controllers.get(0);
        RankVictimsResponse.Builder response = RankVictimsResponse.newBuilder()
                .setRevision(services.access().revision(ranked.revision()))
                .setController(WorkloadReference.newBuilder()
                        .setNamespace(controller.namespace())
                        .setKind(controller.kind())
                        .setName(controller.name()))
                .setPodCount(ranked.pods())
                .addAllResourceVersions(services.access().versionsFor(ranked.versions(), request.getFreshness()));
        ranked.constraints().forEach(each -> response.addConstraints(SpreadWriter.message(each)));
        for (RankedVictims.Victim each : ranked.victims()) {
            RankedVictim.Builder victim = response.addVictimsBuilder()
                    .setName(each.name())
                    .setUid(each.uid())
                    .setNodeName(each.node());
            each.skews().forEach(victim::addSkews);
        }
        RankVictimsResponse built = response.build();
        if (built.getSerializedSize() > services.limits().responseBytes()) {
            throw RequestException.overLimit(
                    "count",
                    "must be lower, because the answer would take " + built.getSerializedSize()
                            + " bytes, and the limit is " + services.limits().responseBytes());
        }
        return built;
    }
}
