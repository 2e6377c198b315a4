package io.evenkeel.eviction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodDisruptionBudgetSpec;
import io.evenkeel.v1.PodDisruptionBudgetStatus;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PodStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which moves of a plan are made together. */
final class EvictionBatchTest {
    private final LiveCluster cluster = new LiveCluster(pod -> true, warning -> {});

    /** Controllers a and b have 12 pods, and c has 3. */
    @BeforeEach
    void start() {
        for (String owner : List.of("a", "b", "c")) {
            for (int i = 0; i < (owner.equals("c") ? 3 : 12); i++) {
                putPod(owner + i, owner, status("Running", true));
            }
        }
    }

    private static PodStatus.Builder status(String phase, boolean isReady) {
        return PodStatus.newBuilder()
                .setPhase(phase)
                .addConditions(PodCondition.newBuilder().setType("Ready").setStatus(isReady ? "True" : "False"));
    }

    private void putPod(String uid, String owner, PodStatus.Builder status) {
        byte[] pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("shop")
                        .setUid(uid)
                        .putLabels("app", owner)
                        .addOwnerReferences(
                                OwnerReference.newBuilder().setUid(owner).setController(true)))
                .setStatus(status)
                .build()
                .toByteArray();
        cluster.put(ObjectKind.POD, pod, 0, pod.length);
    }

    /** Puts a budget of the pods with a label, or of all. */
    private void putBudget(String name, Map<String, String> labels, int allowed) {
        byte[] budget = PodDisruptionBudget.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("shop")
                        .setName(name)
                        .setUid("uid " + name)
                        .setResourceVersion("1"))
                .setSpec(PodDisruptionBudgetSpec.newBuilder()
                        .setSelector(LabelSelector.newBuilder().putAllMatchLabels(labels)))
                .setStatus(PodDisruptionBudgetStatus.newBuilder().setDisruptionsAllowed(allowed))
                .build()
                .toByteArray();
        cluster.put(ObjectKind.POD_DISRUPTION_BUDGET, budget, 0, budget.length);
    }

    /** The batch for moves of these pods; + means together with the next, and ! that the node rejects the pod. */
    private List<List<String>> batch(int most, String... pods) {
        List<PodMove> moves = new ArrayList<>();
        for (String pod : pods) {
            moves.add(PodMove.newBuilder()
                    .setPod(PodReference.newBuilder().setUid(pod.replaceAll("[+!]", "")))
                    .setRejected(pod.contains("!"))
                    .setTogetherWithNext(pod.contains("+"))
                    .build());
        }
        return EvictionBatch.first(moves, most, cluster).stream()
                .map(chain -> chain.stream().map(move -> move.getPod().getUid()).toList())
                .toList();
    }

    @Test
    void batch_hasAtMostSoManyPods() {
        assertEquals(List.of(List.of("a0"), List.of("b0")), batch(2, "a0", "b0", "a1"));
        assertEquals(List.of(List.of("a0")), batch(5, "a0"));
    }

    @Test
    void batch_hasAtMostAQuarterOfAController_butOnePod() {
        assertEquals(List.of(List.of("a0"), List.of("a1"), List.of("a2")), batch(9, "a0", "a1", "a2", "a3", "b0"));
        assertEquals(List.of(List.of("c0")), batch(9, "c0", "c1"));
        assertEquals(List.of(List.of("c0"), List.of("a0")), batch(9, "c0", "a0", "c1"));
    }

    @Test
    void chains_areNotDivided() {
        assertEquals(List.of(List.of("a0")), batch(2, "a0", "b0!+", "b1"));
        assertEquals(List.of(List.of("b0", "b1", "b2")), batch(2, "b0!+", "b1!+", "b2", "a0"));
        assertEquals(List.of(List.of("c0", "c1", "c2")), batch(5, "c0!+", "c1!+", "c2", "a0"));
        assertEquals(List.of(List.of("a0"), List.of("b0", "b1")), batch(5, "a0", "b0!+", "b1", "a1!+", "a2!+", "a3"));
    }

    /** The move that makes room for the first one need not be the next one that is possible. */
    @Test
    void chain_endsWhereThePlanSays() {
        assertEquals(List.of(List.of("a0", "b0", "c0"), List.of("a1")), batch(9, "a0!+", "b0+", "c0", "a1"));
    }

    @Test
    void batch_hasAtMostWhatBudgetsAllow_butOneChain() {
        putBudget("a", Map.of("app", "a"), 2);
        assertEquals(List.of(List.of("a0"), List.of("a1")), batch(9, "a0", "a1", "a2", "b0"));
        assertEquals(List.of(List.of("a0")), batch(9, "a0", "b0!+", "a1+", "a2"));
        assertEquals(List.of(List.of("a0", "a1", "a2")), batch(9, "a0!+", "a1+", "a2", "b0"));
        putBudget("all", Map.of(), 1);
        assertEquals(List.of(List.of("a0")), batch(9, "a0", "b0"));
    }

    /** As in the API server's storage/eviction.go. */
    @Test
    void budgets_areNotChargedForPods_thatHaveNotStarted_orAreNotReadyWhileEvictionsAreAllowed() {
        putPod("a1", "a", status("Pending", false));
        putPod("a2", "a", status("Running", false));
        putBudget("all", Map.of(), 1);
        assertEquals(List.of(List.of("a0"), List.of("a1"), List.of("a2")), batch(9, "a0", "a1", "a2", "b0"));
        putBudget("all", Map.of(), 0);
        assertEquals(List.of(List.of("a1")), batch(9, "a1", "a2"));
    }

    @Test
    void budgets_thatAreDeletedOrNoLongerListed_areForgotten() {
        putBudget("a", Map.of("app", "a"), 1);
        putBudget("all", Map.of(), 1);
        cluster.listBegins(ObjectKind.POD_DISRUPTION_BUDGET);
        putBudget("a", Map.of("app", "a"), 1);
        cluster.listEnds(ObjectKind.POD_DISRUPTION_BUDGET);
        assertEquals(List.of(List.of("a0"), List.of("b0")), batch(9, "a0", "b0", "a1"));

        byte[] last = PodDisruptionBudget.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setUid("uid a"))
                .build()
                .toByteArray();
        cluster.deleted(ObjectKind.POD_DISRUPTION_BUDGET, last, 0, last.length);
        assertEquals(List.of(List.of("a0"), List.of("b0"), List.of("a1")), batch(9, "a0", "b0", "a1"));
    }
}
