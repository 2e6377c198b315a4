package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Messages;
import io.evenkeel.placement.Queries;
import io.evenkeel.placement.SmallInstances;
import io.evenkeel.placement.call.ObjectKinds;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the versions that answers report, with random feeds. An answer must be the model's at exactly these versions,
 * and no demand may be answered from an older state.
 */
final class FreshnessPropertyTest {
    private static final int SEEDS = 100;
    private static final int STEPS = 150;
    private static final int NAMES = 7;

    private static final IncomingPod CONSTRAINED = new IncomingPod(
            "shop",
            Map.of("app", "web"),
            Map.of(),
            null,
            List.of(),
            List.of(constraint(Messages.ZONE, true), constraint(Messages.HOSTNAME, false)),
            null);

    /** Gets default constraints through the services that select it. */
    private static final IncomingPod DEFAULTED =
            new IncomingPod("shop", Map.of("app", "web"), Map.of(), null, List.of(), List.of(), null);

    private int compared;
    private int met;
    private int settled;

    private static SpreadConstraint constraint(String key, boolean hard) {
        PodSelector web =
                new PodSelector(List.of(new LabelRequirement("app", LabelRequirement.Operator.IN, List.of("web"))));
        return new SpreadConstraint(1, key, hard, web, List.of(), 0, true, false);
    }

    @Test
    void answer_isTheModelsAtTheVersionsThatItNames_andDemandsAreMetByIt() {
        for (int seed = 0; seed < SEEDS; seed++) {
            play(seed, new Instance(InstanceOptions.standard()));
        }
        assertTrue(compared > SEEDS * STEPS / 15, compared + " answers named all versions");
        assertTrue(met > SEEDS * STEPS / 10, met + " demands were met");
        assertTrue(
                settled > SEEDS * STEPS / 20, settled + " answers had a state that must be at the version of the feed");
    }

    @Test
    @Tag("long")
    void answer_isTheModelsAtTheVersionsThatItNames_ifSomeHasNoRoom() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Instance small = SmallInstances.ofHosts(NAMES - 1);
            play(seed, small);
        }
        assertTrue(compared > SEEDS * STEPS / 50, compared + " answers named all versions");
    }

    private void play(int seed, Instance instance) {
        try (instance) {
            RandomChoices dice = new RandomChoices(seed);
            FeedScript script = new FeedScript(instance, dice);
            for (int step = 0; step < STEPS; step++) {
                String where = "seed " + seed + ", step " + step + ", after " + script.step();
                if (instance.clusterState().isReady()) {
                    check(instance, script, dice, where);
                }
            }
            script.closeAll();
            IndexValidator.validate(instance.engine());
        }
    }

    private void check(Instance instance, FeedScript script, RandomChoices dice, String where) {
        IncomingPod pod = dice.chance(0.5) ? CONSTRAINED : DEFAULTED;
        EvaluateResponse answer = evaluate(instance, pod, Freshness.newBuilder().setIncludeResourceVersions(true));
        Map<ObjectKind, Long> told = versions(answer.getResourceVersionsList());
        for (ObjectKind kind : ApiHistory.KINDS) {
            long expected = script.told(kind);
            if (expected >= 0) {
                assertEquals(expected, told.getOrDefault(kind, 0L), () -> where + ": told of " + kind);
            }
        }
        if (told.keySet().containsAll(ApiHistory.KINDS)) {
            compared++;
            checkIsTheModels(answer, script, told, pod, where + " at " + told);
        }
        Map<ObjectKind, Long> settled = new EnumMap<>(ObjectKind.class);
        ApiHistory.KINDS.forEach(kind -> settled.put(kind, script.settledAt(kind)));
        if (!settled.containsValue(0L)) {
            this.settled++;
            checkIsTheModels(answer, script, settled, pod, where + ", settled at " + settled);
        }
        assertEquals(told, othersTell(instance, pod), where);
        demand(instance, script, dice, pod, where);
    }

    private static void checkIsTheModels(
            EvaluateResponse answer, FeedScript script, Map<ObjectKind, Long> at, IncomingPod pod, String where) {
        Answers.Placement model = (Answers.Placement)
                script.api.modelAt(at).ask(new ScriptedQuery.Placement(pod, SpreadDefaults.SYSTEM, null));
        Map<String, Verdict> verdicts = new TreeMap<>();
        answer.getAnswers(0)
                .getReadable()
                .getVerdictsList()
                .forEach(node -> verdicts.put(node.getName(), PlacementSubject.verdict(node)));
        assertEquals(model.verdicts(), verdicts, where);
        assertEquals(model.scoresOfPassed(), PlacementSubject.scores(answer.getAnswers(0)), where);
    }

    /** The versions that WhatIf and Explain report for the same state. */
    private static Map<ObjectKind, Long> othersTell(Instance instance, IncomingPod pod) {
        Freshness tell = Freshness.newBuilder().setIncludeResourceVersions(true).build();
        Map<ObjectKind, Long> whatIf = versions(Queries.of(instance.placement())
                .prepare(WhatIfRequest.newBuilder()
                        .setPod(PlacementSubject.message(pod))
                        .setFreshness(tell)
                        .addCases(WhatIfCase.newBuilder().setNode("n-1"))
                        .build())
                .answer()
                .getResourceVersionsList());
        assertEquals(
                whatIf,
                versions(Queries.of(instance.placement())
                        .prepare(ExplainRequest.newBuilder()
                                .setPod(PlacementSubject.message(pod))
                                .setFreshness(tell)
                                .build())
                        .answer()
                        .getResourceVersionsList()));
        return whatIf;
    }

    private void demand(Instance instance, FeedScript script, RandomChoices dice, IncomingPod pod, String where) {
        ObjectKind kind = ApiHistory.KINDS.get(dice.below(ApiHistory.KINDS.size()));
        long held = script.held(kind);
        long version =
                Math.max(1, dice.chance(0.5) ? held + dice.between(-1, 1) : dice.below((int) script.api.version() + 2));
        Freshness.Builder demanded = Freshness.newBuilder()
                .addResourceVersions(KindVersion.newBuilder()
                        .setKind(KindMessages.inMessages(kind))
                        .setResourceVersion(Long.toString(version)));
        if (version <= held && script.mustHold(kind)) {
            evaluate(instance, pod, demanded);
            met++;
        } else if (version > held) {
            RequestException refused = assertThrows(
                    RequestException.class,
                    () -> evaluate(instance, pod, demanded),
                    () -> where + ": version " + version + " of " + kind + ", held up to " + held);
            assertEquals(
                    held == 0
                            ? ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN
                            : ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME,
                    refused.reason(),
                    where);
            assertEquals(Set.of(kind), refused.kinds());
        }
    }

    private static EvaluateResponse evaluate(Instance instance, IncomingPod pod, Freshness.Builder demanded) {
        return Queries.of(instance.placement())
                .prepare(EvaluateRequest.newBuilder()
                        .addPods(PlacementSubject.message(pod))
                        .setFreshness(demanded)
                        .setOptions(QueryOptions.newBuilder()
                                .setEveryNode(true)
                                .setCandidates(Candidates.newBuilder().setAll(AllNodes.getDefaultInstance())))
                        .build())
                .answer();
    }

    private static Map<ObjectKind, Long> versions(List<KindVersion> told) {
        Map<ObjectKind, Long> versions = new EnumMap<>(ObjectKind.class);
        versions.putAll(ObjectKinds.ofVersions(told, false, "told"));
        return versions;
    }
}
