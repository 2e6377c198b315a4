package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.script.SmallEngines;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.StatusCode;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/**
 * Tests that an instance with a full engine rejects items for which there is no room, and continues with the others.
 */
final class FullInstanceTest {
    private static final List<ClusterObject> SOME_WITHOUT_ROOM = List.of(
            object(pod("", "z1")),
            object(pod("a", "z1")),
            object(node("z4", "z4")),
            object(pod("b", "z9")),
            object(pod("c", "z2")),
            object(pod("", "z1")),
            object(pod("d", "z9")));

    @Test
    void apply_refusesWhatHasNoRoom_andAppliesTheOthers() {
        withRoomForThreeHosts(instance -> {
            instance.clusterState().apply(apply(zones(0, 0, 0)));
            ApplyResponse response = instance.clusterState().apply(apply(SOME_WITHOUT_ROOM));
            assertEquals(2, response.getAppliedCount());
            assertRefused(response.getRefusalsList());
            assertEquals(2, instance.engine().status().countedPods());
        });
    }

    @Test
    void sync_refusesWhatHasNoRoom_andAppliesTheOthers() {
        withRoomForThreeHosts(instance -> {
            try (SyncSession session = instance.clusterState().sync()) {
                session.handle(SyncRequest.newBuilder()
                        .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                        .build());
                session.handle(objects(zones(0, 0, 0)));
                SyncResponse response = session.handle(objects(SOME_WITHOUT_ROOM));
                assertEquals(2, response.getAppliedCount());
                assertRefused(response.getRefusalsList());
                session.handle(SyncRequest.newBuilder()
                        .setEndSnapshot(EndSnapshot.getDefaultInstance())
                        .build());
            }
            assertTrue(instance.clusterState().isReady());
            assertEquals(3, instance.engine().status().nodes());
            assertEquals(2, instance.engine().status().countedPods());
        });
    }

    @Test
    void assume_refusesWhatHasNoRoom_andCountsTheOthers() {
        withRoomForThreeHosts(instance -> {
            instance.clusterState().apply(apply(zones(0, 0, 0)));
            AssumeResponse response = instance.clusterState()
                    .assume(AssumeRequest.newBuilder()
                            .addPods(
                                    AssumedPod.newBuilder().setPod(pod("a", "")).setNode("z9"))
                            .addPods(
                                    AssumedPod.newBuilder().setPod(pod("b", "")).setNode("z1"))
                            .build());
            assertEquals(1, response.getRefusalsCount());
            assertFull(0, "shop/a", response.getRefusals(0));
            assertEquals(1, instance.engine().status().countedPods());
        });
    }

    @Test
    void question_isRefused_ifItsTextsHaveNoRoom_andThoseThatAreKnownAreAnswered() {
        with(SmallEngines.ofOnePageOfTexts(), instance -> {
            instance.clusterState().apply(apply(zones(1, 0)));
            assertEquals(1, passed(instance));
            int nodes = 2;
            while (instance.clusterState()
                            .apply(apply(List.of(object(
                                    node("full-" + nodes, Map.of("of-its-own", "x".repeat(50) + nodes))))))
                            .getRefusalsCount()
                    == 0) {
                nodes++;
            }
            assertTrue(nodes > 100, nodes + " nodes had room");
            String newKey = "a-topology-key-of-a-domain-that-is-long.example.com/" + "y".repeat(60);
            RequestException batch = assertThrows(
                    RequestException.class,
                    () -> Queries.of(instance.placement())
                            .prepare(filter(web(hard(ZONE)), web(soft(newKey))))
                            .answer());
            assertEquals(StatusCode.RESOURCE_EXHAUSTED, batch.code());
            assertTrue(
                    String.valueOf(batch.getMessage()).startsWith("there is no room for more texts"),
                    batch.getMessage());
            RequestException explanation = assertThrows(
                    RequestException.class,
                    () -> Queries.of(instance.placement())
                            .prepare(ExplainRequest.newBuilder()
                                    .setPod(web(hard(newKey)))
                                    .build())
                            .answer());
            assertEquals(StatusCode.RESOURCE_EXHAUSTED, explanation.code());
            assertEquals(1, passed(instance));
        });
    }

    @Test
    void planThatHasNoRoom_isRefused() {
        with(SmallEngines.ofHosts(3), instance -> {
            SpreadConstraint constraint = new SpreadConstraint(
                    1, ZONE, true, PodSelector.ofLabels(Map.of("app", "web")), List.of(), 0, true, false);
            IncomingPod pod = new IncomingPod("shop", Map.of(), Map.of(), null, List.of(), List.of(constraint), null);
            FutureCall<String> call = new FutureCall<>(Duration.ZERO);
            call.attempt(() -> {
                try (PlanPins pins = instance.engine().pinPlans(StopSignal.NEVER, 0)) {
                    pins.plan(pod, SpreadDefaults.NONE);
                }
            });
            RequestException full = assertInstanceOf(
                    RequestException.class,
                    assertThrows(CompletionException.class, call::join).getCause());
            assertEquals(StatusCode.RESOURCE_EXHAUSTED, full.code());
            assertTrue(String.valueOf(full.getMessage()).startsWith("constraints of pods that were not asked about"));
        });
    }

    private static int passed(Instance instance) {
        return Queries.of(instance.placement())
                .prepare(filter(web(hard(ZONE))))
                .answer()
                .getAnswers(0)
                .getReadable()
                .getPassedCount();
    }

    private static SyncRequest objects(List<ClusterObject> objects) {
        return SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(objects))
                .build();
    }

    private static void assertRefused(List<Refusal> refusals) {
        assertEquals(
                List.of(0, 2, 3, 5, 6),
                refusals.stream().map(Refusal::getPosition).toList());
        for (int invalid : List.of(0, 3)) {
            assertEquals(
                    StatusCode.INVALID_ARGUMENT.number(),
                    refusals.get(invalid).getError().getCode());
        }
        assertFull(2, "z4", refusals.get(1));
        assertFull(3, "shop/b", refusals.get(2));
        assertFull(6, "shop/d", refusals.get(4));
    }

    private static void assertFull(int position, String object, Refusal refusal) {
        assertEquals(position, refusal.getPosition());
        assertEquals(object, refusal.getObject());
        assertEquals(StatusCode.RESOURCE_EXHAUSTED.number(), refusal.getError().getCode());
        String message = refusal.getError().getMessage();
        assertTrue(message.startsWith("names of nodes must be at most 3"), message);
    }

    private interface Check {
        void on(Instance instance);
    }

    private static void withRoomForThreeHosts(Check check) {
        with(SmallEngines.ofHosts(3), check);
    }

    private static void with(SpreadEngine engine, Check check) {
        try (Instance instance = new Instance(InstanceOptions.standard(), engine)) {
            check.on(instance);
            IndexValidator.validate(engine);
        }
    }
}
