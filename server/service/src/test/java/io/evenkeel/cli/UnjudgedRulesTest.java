package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what the commands print about rules that can exclude nodes but are not judged. */
final class UnjudgedRulesTest {
    private static final String CLAIMING = "logs/logs-hot-2";
    private static final String FOUND = "The claim d-logs-hot-2 is bound to the volume pv-2, which only nodes with"
            + " topology.kubernetes.io/zone=eu-a can use.";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"explain", "place"})
    void claim_isNamed_withTheNodesOfItsVolume_andNoNodeIsCalledAvailable(String command) throws Exception {
        Run run = Run.of(command, "--cluster", claimInOneZone().toString(), CLAIMING);
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(
                run.lines().get(1).startsWith("2/4 nodes pass what is judged; not judged: volumes; excluded: "),
                run.out());
        assertFalse(run.lines().get(1).contains("available"), run.out());
        assertFalse(run.out().contains("Available nodes"), run.out());
        assertTrue(unwrapped(run).contains(FOUND), run.out());
    }

    @Test
    void json_hasTheRule_andTheMessage() throws Exception {
        String cluster = claimInOneZone().toString();
        Run explained = Run.of("explain", "--cluster", cluster, "-o", "json", CLAIMING);
        assertTrue(explained.out().contains("\"UNJUDGED_RULE_VOLUMES\""), explained.out());
        assertTrue(explained.out().contains(FOUND), explained.out());
        Run placed = Run.of("place", "--cluster", cluster, "-o", "json", CLAIMING);
        assertTrue(placed.out().contains("\"UNJUDGED_RULE_VOLUMES\""), placed.out());
        assertTrue(placed.out().contains("2/4 nodes pass what is judged"), placed.out());
    }

    @Test
    void claimThatIsMissingOrUnbound_isNamedAsSuch() throws Exception {
        String cluster = Files.readString(claimInOneZone());
        Path unbound = Files.writeString(
                directory.resolve("unbound.json"), cluster.replace("\"volumeName\": \"pv-2\"", "\"volumeName\": \"\""));
        assertTrue(unwrapped(Run.of("explain", "--cluster", unbound.toString(), CLAIMING))
                .contains("The claim d-logs-hot-2 is not bound to a volume yet."));
        Path missing = Files.writeString(
                directory.resolve("missing.json"), cluster.replace("\"PersistentVolumeClaim\"", "\"ConfigMap\""));
        assertTrue(unwrapped(Run.of("explain", "--cluster", missing.toString(), CLAIMING))
                .contains("The claim d-logs-hot-2 is not in the input."));
    }

    @Test
    void claimTemplatesOfAStatefulSet_areVolumesOfItsPods() throws Exception {
        Path set = Files.writeString(directory.resolve("set.yaml"), """
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: db, namespace: logs}
                spec:
                  volumeClaimTemplates:
                  - metadata: {name: data}
                    spec: {accessModes: [ReadWriteOnce]}
                  template:
                    metadata: {labels: {app: db}}
                    spec: {containers: [{name: db}]}
                """);
        Run run = Run.of("place", "--cluster", claimInOneZone().toString(), "--pod", set.toString());
        assertTrue(run.lines().get(1).contains("not judged: volumes"), run.out());
    }

    @Test
    void advice_doesNotPromiseThatThePodFits() throws Exception {
        String cluster = Files.readString(claimInOneZone()).replace("\"minDomains\": 2", "\"minDomains\": 3");
        Path stuck = Files.writeString(directory.resolve("stuck.json"), cluster);
        Run run = Run.of("explain", "--cluster", stuck.toString(), CLAIMING);
        assertTrue(run.lines().get(1).startsWith("0/4 nodes pass what is judged; not judged: volumes; "), run.out());
        assertFalse(unwrapped(run).contains("available"), run.out());
        assertFalse(unwrapped(run).contains("would admit the pod: "), run.out());
    }

    @Test
    void podWithNothingUnjudged_hasNoSuchLines() throws Exception {
        Run run = Run.of("explain", "--cluster", claimInOneZone().toString(), "logs/logs-hot-0");
        assertFalse(run.out().contains("judged"), run.out());
        assertFalse(run.out().contains("Not checked"), run.out());
    }

    private static String unwrapped(Run run) {
        return run.out().replaceAll("\\s+", " ");
    }

    private static Path claimInOneZone() throws URISyntaxException, IOException {
        URL resource = UnjudgedRulesTest.class.getResource("/unjudged/claim-in-one-zone.json");
        return Path.of(Objects.requireNonNull(resource).toURI());
    }
}
