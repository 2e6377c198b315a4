package io.evenkeel.eviction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.PodReference;
import java.util.ArrayList;
import java.util.List;
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
                byte[] pod = Pod.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder()
                                .setUid(owner + i)
                                .addOwnerReferences(OwnerReference.newBuilder()
                                        .setUid(owner)
                                        .setController(true)))
                        .build()
                        .toByteArray();
                cluster.put(ObjectKind.POD, pod, 0, pod.length);
            }
        }
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

    /** The moves after an impossible one may depend on it. */
    @Test
    void batch_endsBeforeAnImpossibleMove() {
        assertEquals(List.of(List.of("a0")), batch(9, "a0", "b0!", "c0"));
        assertEquals(List.of(), batch(9, "b0!", "c0"));
    }
}
