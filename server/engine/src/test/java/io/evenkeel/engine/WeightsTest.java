package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.answer.DomainWeights;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.naive.GoLogTable;
import io.evenkeel.engine.script.World;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Compares weights of soft constraints with those of kube-scheduler on amd64, to the last bit. */
final class WeightsTest {
    /** Computed by a Go program: the SHA-256 of the weights of the sizes from 1 to 300,000, as big-endian bits. */
    private static final String GO = "ec0549b3e7c182fcdf6db5fb235c65c461c65305ac035f484706394e7377bfaa";

    @Test
    void weight_isGosLogarithm_forEachSize() throws GeneralSecurityException {
        DomainWeights weights = new DomainWeights();
        for (int size = 1; size <= GoLogTable.SIZES; size++) {
            assertEquals(GoLogTable.log(size), weights.weight(size), "size " + size);
        }
        assertEquals(GO, sha256(weights::weight));
    }

    @Test
    void tableOfTheModel_holdsGosLogarithms() throws GeneralSecurityException {
        assertEquals(GO, sha256(GoLogTable::log));
    }

    private static String sha256(IntToDoubleFunction weight) throws GeneralSecurityException {
        ByteBuffer bits = ByteBuffer.allocate(GoLogTable.SIZES * Double.BYTES);
        for (int size = 1; size <= GoLogTable.SIZES; size++) {
            bits.putDouble(weight.applyAsDouble(size));
        }
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bits.array()));
    }

    @Test
    void score_isThatOfThePlugin_ifTheLastBitOfAWeightDecides() {
        EngineSubject engine = EngineLayout.DEFAULT.subject();
        World world = new World(engine);
        for (int node = 0; node < 853; node++) {
            world.node("n" + node, Map.of("rack", "r" + node % 174, HOSTNAME, "n" + node));
        }
        pods(world, "n0", 4_858, 1_397);
        pods(world, "n1", 7, 97);
        // 4,858 × ln 176 + 1,397 × ln 855 is 34,549.5 in Go, which rounds up.
        Map<String, Integer> scores = world.scores(new IncomingPod(
                World.NAMESPACE,
                Map.of(),
                Map.of(),
                null,
                List.of(),
                List.of(soft("rack", "a"), soft(HOSTNAME, "b")),
                null));
        assertEquals(0, scores.get("n0"));
        assertEquals(98, scores.get("n1"));
        assertEquals(100, scores.get("n2"));
    }

    private static void pods(World world, String node, int a, int b) {
        for (int pod = 0; pod < a + b; pod++) {
            world.pod(Map.of("app", pod < a ? "a" : "b"), node);
        }
    }

    private static SpreadConstraint soft(String topologyKey, String app) {
        return new SpreadConstraint(
                1, topologyKey, false, PodSelector.ofLabels(Map.of("app", app)), List.of(), 0, true, false);
    }
}
