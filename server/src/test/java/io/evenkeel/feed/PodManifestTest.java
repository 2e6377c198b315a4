package io.evenkeel.feed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PodManifestTest {
    private static final String TEMPLATE = """
            {metadata: {labels: {app: web}, annotations: {a: b}},
             spec: {topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}], containers: []}}
            """;

    @Test
    void pod_isReadAsItIs() throws IOException {
        PodManifest manifest = read("""
                ---
                # A comment.
                apiVersion: v1
                kind: Pod
                metadata: {name: web-1, namespace: shop, labels: {app: web}}
                spec:
                  nodeName: node-1
                  topologySpreadConstraints:
                  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
                status: {phase: Running}
                ---
                """);
        assertFalse(manifest.isFromTemplate());
        Pod pod = manifest.pod();
        assertEquals("web-1", pod.getMetadata().getName());
        assertEquals("node-1", pod.getSpec().getNodeName());
        assertEquals("Running", pod.getStatus().getPhase());
        assertEquals(2, pod.getSpec().getTopologySpreadConstraints(0).getMaxSkew());
    }

    @Test
    void pod_isReadWhateverTheOrderAndTheForm() throws IOException {
        String json =
                "{\"spec\": {\"nodeName\": \"n\"}, \"status\": null, \"metadata\": {\"name\": \"p\"}, \"kind\": \"Pod\"}";
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
            gzip.write(json.getBytes(StandardCharsets.UTF_8));
        }
        PodManifest manifest = PodManifest.read(new ByteArrayInputStream(zipped.toByteArray()), "file");
        assertEquals(read(json), manifest);
        assertEquals("n", manifest.pod().getSpec().getNodeName());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Job"})
    void template_givesThePodThatTheObjectWouldMake(String kind) throws IOException {
        PodManifest manifest = read("""
                apiVersion: apps/v1
                kind: %s
                metadata: {name: web, namespace: shop, labels: {of: the-object}}
                spec:
                  replicas: 3
                  template: %s
                """.formatted(kind, TEMPLATE.replace("\n", "\n    ")));
        assertTrue(manifest.isFromTemplate());
        assertEquals(kind, manifest.kind());
        Pod pod = manifest.pod();
        assertEquals("shop", pod.getMetadata().getNamespace());
        assertEquals("web-", pod.getMetadata().getGenerateName());
        assertEquals("", pod.getMetadata().getName());
        assertEquals(Map.of("app", "web"), pod.getMetadata().getLabelsMap());
        assertEquals(1, pod.getSpec().getTopologySpreadConstraintsCount());
        boolean controls = !kind.equals("Deployment") && !kind.equals("Job");
        assertEquals(controls ? 1 : 0, pod.getMetadata().getOwnerReferencesCount());
        if (controls) {
            assertEquals(
                    OwnerReference.newBuilder()
                            .setApiVersion("apps/v1")
                            .setKind(kind)
                            .setName("web")
                            .setController(true)
                            .build(),
                    pod.getMetadata().getOwnerReferences(0));
        }
    }

    @Test
    void template_isFoundInACronJobAndInAPodTemplate() throws IOException {
        String indented = TEMPLATE.replace("\n", "\n    ");
        Pod ofCronJob =
                read("kind: CronJob\nspec:\n  schedule: x\n  jobTemplate:\n    metadata: null\n    spec: {template: "
                                + indented + "}\n")
                        .pod();
        Pod ofPodTemplate =
                read("kind: PodTemplate\nmetadata: null\ntemplate: " + indented).pod();
        assertEquals(ofCronJob, ofPodTemplate);
        assertEquals("web", ofCronJob.getMetadata().getLabelsOrThrow("app"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind: Service | kind must be Pod, CronJob, Deployment, Job, PodTemplate, ReplicaSet, ReplicationController, StatefulSet, was \"Service\"",
                "kind: List | was \"List\"",
                "metadata: {} | kind must not be missing",
                "kind: Deployment | spec.template",
                "{\"kind\": \"Deployment\", \"spec\": {\"template\": 3} } | template must be an object",
                "[] | must be an object, was a list",
                "'' | there is nothing to read",
                "kind: 3 | kind must be a string, was the number 3",
            })
    void manifest_isRefused_whenItHoldsNoPod(String text, String problem) {
        ObjectFormatException refused = assertThrows(ObjectFormatException.class, () -> read(text + "\n"));
        assertTrue(refused.getMessage().contains(problem), refused.getMessage());
        assertTrue(refused.getMessage().startsWith("manifest"), refused.getMessage());
    }

    @Test
    void manifest_isRefused_whenItHoldsMoreThanOneObject() {
        ObjectFormatException refused =
                assertThrows(ObjectFormatException.class, () -> read("kind: Pod\n---\nkind: Pod\n"));
        assertTrue(refused.getMessage().contains("there must be one object only"), refused.getMessage());
    }

    private static PodManifest read(String text) throws IOException {
        return PodManifest.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "manifest");
    }
}
