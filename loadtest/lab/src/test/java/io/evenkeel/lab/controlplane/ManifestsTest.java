package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ManifestsTest {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final Path MANIFESTS = Path.of("../../server/deploy");
    private static final List<String> FOLLOWED = List.of(
            "nodes",
            "pods",
            "services",
            "replicationcontrollers",
            "replicasets.apps",
            "statefulsets.apps",
            "poddisruptionbudgets.policy");

    @Test
    void rights_areToReadTheSevenKinds_andNoMore_inTheManifestAsInTheReadme() throws IOException {
        String expected = """
                - {apiGroups: [""], resources: [nodes, pods, services, replicationcontrollers], verbs: [get, list, watch]}
                - {apiGroups: [apps], resources: [replicasets, statefulsets], verbs: [get, list, watch]}
                - {apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [get, list, watch]}
                """;
        JsonNode rules = YAML.readTree(expected);
        int roles = 0;
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(Files.readString(MANIFESTS.resolve("rbac.yaml")))) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                assertFalse(document.path("kind").asText().equals("Role"), document::toString);
                if (document.path("kind").asText().equals("ClusterRole")) {
                    roles++;
                    assertEquals(rules, document.path("rules"));
                }
            }
        }
        assertEquals(1, roles);
        String readme = Files.readString(Path.of("../../server/kube/README.md"));
        int begin = readme.indexOf("```yaml\n") + "```yaml\n".length();
        assertEquals(
                rules,
                YAML.readTree(readme.substring(begin, readme.indexOf("```", begin)))
                        .path("rules"));
    }

    @Test
    @Tag("kube")
    void manifests_areAccepted_andTheAccountMayReadTheSevenKindsOnly(@TempDir Path directory)
            throws IOException, InterruptedException {
        try (ControlPlane plane = ControlPlane.start(directory)) {
            for (String file :
                    List.of("rbac", "provisioning", "deployment", "network-policy", "sidecar", "kube-scheduler")) {
                String said = plane.kubectl(
                        "apply",
                        "--validate=strict",
                        "-f",
                        MANIFESTS.resolve(file + ".yaml").toString());
                assertTrue(said.contains(" created"), said);
            }
            for (String kind : FOLLOWED) {
                for (String verb : List.of("get", "list", "watch")) {
                    assertEquals("yes", mayI(plane, verb, kind));
                }
                assertThrows(IOException.class, () -> mayI(plane, "update", kind));
                assertThrows(IOException.class, () -> mayI(plane, "delete", kind));
            }
            assertThrows(IOException.class, () -> mayI(plane, "list", "secrets"));
            assertThrows(IOException.class, () -> mayI(plane, "list", "configmaps"));
        }
    }

    /** The output of {@code kubectl auth can-i}, which fails for "no". */
    private static String mayI(ControlPlane plane, String verb, String kind) throws IOException, InterruptedException {
        String answer =
                plane.kubectl("auth", "can-i", verb, kind, "-A", "--as=system:serviceaccount:evenkeel:evenkeel");
        return answer.lines().reduce("", (before, line) -> line);
    }
}
