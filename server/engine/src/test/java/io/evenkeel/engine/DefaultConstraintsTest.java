package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.Act;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.Script;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Seeds;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests pods under default constraints that differ in labels that no owner's selector names. */
final class DefaultConstraintsTest {
    private static final String NAMESPACE = "shop";
    private static final String NAME = "pod-name";
    private static final int REPLICAS = 4;

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());

    private static IncomingPod pod(String app, int replica, String kind) {
        return new IncomingPod(
                NAMESPACE,
                Map.of("app", app, NAME, app + "-" + replica),
                Map.of(),
                null,
                List.of(),
                List.of(),
                new ControllerRef(kind.equals("Job") ? "batch/v1" : "apps/v1", kind, app));
    }

    private static OwnerObject owner(ObjectKind kind, String name, Map<String, String> selector) {
        return new OwnerObject(kind, NAMESPACE, name, kind + name, 0, PodSelector.ofLabels(selector));
    }

    private void put(OwnerObject owner) {
        engine.write(batch -> batch.apply(Change.MODIFIED, owner));
    }

    private void planAll(String kind) {
        for (int replica = 0; replica < 50; replica++) {
            IncomingPod pod = pod("web", replica, kind);
            assertEquals(pod, engine.plan(pod, SpreadDefaults.SYSTEM).pod());
            assertNotNull(engine.findPlan(pod, SpreadDefaults.SYSTEM));
        }
    }

    @Test
    void selectorOfTheCaller_replacesTheOwners_andKeepsItsPlanWhenTheyChange() {
        engine.write(batch -> {
            for (String zone : List.of("a", "b")) {
                batch.apply(
                        Change.ADDED,
                        new NodeObject(zone, zone, 0, Map.of("topology.kubernetes.io/zone", zone), List.of(), false));
            }
        });
        IncomingPod pod = pod("web", 0, "StatefulSet");
        SpreadDefaults given = SpreadDefaults.SYSTEM.withOwnersSelector(PodSelector.ofLabels(Map.of("app", "web")));
        PodPlan plan = engine.plan(pod, given);
        assertEquals(2, plan.soft.length);
        assertEquals(0, engine.plan(pod, SpreadDefaults.SYSTEM).soft.length);
        put(owner(ObjectKind.STATEFUL_SET, "web", Map.of("app", "other")));
        assertTrue(plan.isCurrent());
        assertSame(plan, engine.plan(pod, given));
        SpreadDefaults none = SpreadDefaults.SYSTEM.withOwnersSelector(PodSelector.EMPTY);
        assertEquals(0, engine.plan(pod, none).soft.length);
    }

    @Test
    void podsOfAStatefulSet_shareAPlan() {
        put(owner(ObjectKind.STATEFUL_SET, "web", Map.of("app", "web")));
        planAll("StatefulSet");
        assertEquals(1, engine.plansCompiled());
        IndexValidator.validate(engine);
    }

    @Test
    void podsOfAJob_shareAPlan_withAndWithoutAService() {
        planAll("Job");
        assertEquals(1, engine.plansCompiled());
        put(owner(ObjectKind.SERVICE, "web", Map.of("app", "web")));
        planAll("Job");
        assertEquals(2, engine.plansCompiled());
        IndexValidator.validate(engine);
    }

    @Test
    void podThatAServiceSinglesOut_getsItsOwnPlan() {
        put(owner(ObjectKind.STATEFUL_SET, "web", Map.of("app", "web")));
        planAll("StatefulSet");
        put(owner(ObjectKind.SERVICE, "leader", Map.of(NAME, "web-7")));
        planAll("StatefulSet");
        assertEquals(2, engine.plansCompiled());
        IndexValidator.validate(engine);
    }

    @ParameterizedTest
    @EnumSource
    void engine_answersAsTheModel_whileOwnersChange(EngineLayout layout) {
        for (int seed = Seeds.FIRST; seed < Seeds.END; seed++) {
            new Script(acts(new RandomChoices(seed))).mustAgree("seed " + seed, ModelSubject::new, layout::subject);
        }
    }

    @Test
    void index_isWhatARecountGives_whileOwnersChange() {
        for (int seed = Seeds.FIRST; seed < Seeds.endOfFirst(5); seed++) {
            new Script(acts(new RandomChoices(seed)))
                    .mustAgree("seed " + seed, ModelSubject::new, EngineLayout.DEFAULT::validatingSubject);
        }
    }

    /** Events of owners and pods, and in between questions about the same few pods. */
    private static List<Act> acts(RandomChoices dice) {
        List<Act> acts = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Map<String, String> labels = Map.of(World.HOSTNAME, "n" + i, World.ZONE, "z" + i % 3);
            acts.add(new Step.NodeEvent(Change.ADDED, new NodeObject("n" + i, "n" + i, 0, labels, List.of(), false)));
        }
        Map<String, OwnerObject> owners = new HashMap<>();
        for (int i = 0; i < 120; i++) {
            if (dice.chance(0.25)) {
                acts.add(ownerEvent(dice, owners));
            } else if (dice.chance(0.25)) {
                IncomingPod like = pod(dice);
                String uid = "uid-" + dice.below(10);
                acts.add(new Step.PodEvent(
                        Change.MODIFIED,
                        new PodObject(NAMESPACE, uid, uid, 0, like.labels(), "n" + dice.below(5), false, false)));
            } else {
                acts.add(new ScriptedQuery.Placement(pod(dice), SpreadDefaults.SYSTEM, null));
            }
        }
        return acts;
    }

    private static IncomingPod pod(RandomChoices dice) {
        return pod(
                dice.pick(List.of("web", "db")),
                dice.below(REPLICAS),
                dice.pick(List.of("StatefulSet", "StatefulSet", "ReplicaSet", "Job")));
    }

    private static Step ownerEvent(RandomChoices dice, Map<String, OwnerObject> owners) {
        ObjectKind kind = dice.pick(
                List.of(ObjectKind.SERVICE, ObjectKind.SERVICE, ObjectKind.STATEFUL_SET, ObjectKind.REPLICA_SET));
        String name = dice.pick(List.of("web", "db"));
        OwnerObject stored = owners.remove(kind + name);
        if (stored != null && dice.chance(0.4)) {
            return new Step.OwnerEvent(Change.DELETED, stored);
        }
        Map<String, String> one = Map.of("app", dice.pick(List.of("web", "db")));
        Map<String, String> single = Map.of(NAME, dice.pick(List.of("web", "db")) + "-" + dice.below(REPLICAS));
        Map<String, String> both = new HashMap<>(one);
        both.putAll(single);
        OwnerObject put = owner(kind, name, dice.pick(List.of(one, one, single, both, Map.of())));
        owners.put(kind + name, put);
        return new Step.OwnerEvent(stored == null ? Change.ADDED : Change.MODIFIED, put);
    }
}
