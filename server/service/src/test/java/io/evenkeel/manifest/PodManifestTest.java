package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.Toleration;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
    void quantities_canBeNumbers() throws IOException {
        ResourceRequirements requests =
                read("""
                        kind: Pod
                        spec:
                          containers:
                          - resources: {requests: {cpu: 2, memory: 1e3, a.b/c: "3", a.b/d: 0.5, a.b/e: , a.b/f: ' 1 '}}
                        """).pod().getSpec().getContainers(0).getResources();
        assertEquals("2", requests.getRequestsOrThrow("cpu").getValue());
        assertEquals("3", requests.getRequestsOrThrow("a.b/c").getValue());
        assertEquals("0", requests.getRequestsOrThrow("a.b/e").getValue());
        assertEquals("1", requests.getRequestsOrThrow("a.b/f").getValue());
        assertEquals(
                1000, Double.parseDouble(requests.getRequestsOrThrow("memory").getValue()));
        assertEquals(
                0.5, Double.parseDouble(requests.getRequestsOrThrow("a.b/d").getValue()));
        assertThrows(
                ObjectFormatException.class,
                () -> read("kind: Pod\nspec: {containers: [{resources: {requests: {cpu: true}}}]}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // A limit is the request if there is none.
                "containers: [{resources: {limits: {cpu: 1, memory: 2}, requests: {cpu: 3}}}]"
                        + "| containers: [{resources: {limits: {cpu: 1, memory: 2}, requests: {cpu: 3, memory: 2}}}]",
                "initContainers: [{resources: {limits: {cpu: 1}}}]"
                        + "| initContainers: [{resources: {limits: {cpu: 1}, requests: {cpu: 1}}}]",
                // Requests are rounded up to a milli-unit.
                "containers: [{resources: {requests: {cpu: 100u, memory: 1n}}}], overhead: {cpu: 1.0001}"
                        + "| containers: [{resources: {requests: {cpu: '0.001', memory: '0.001'}}}],"
                        + " overhead: {cpu: '1.001'}",
                // The pod's limits are its requests, except for cpu and memory that a container requests.
                "containers: [{resources: {requests: {cpu: 1}}}],"
                        + " resources: {limits: {cpu: 2, memory: 3, hugepages-2Mi: 4, a.b/c: 5}, requests: {memory: 1}}"
                        + "| containers: [{resources: {requests: {cpu: 1}}}], resources: {limits: {cpu: 2, memory: 3,"
                        + " hugepages-2Mi: 4, a.b/c: 5}, requests: {memory: 1, hugepages-2Mi: 4}}",
                // In the network of the node, each port of a container is one of the node.
                "hostNetwork: true, containers: [{ports: [{containerPort: 80}, {containerPort: 81, hostPort: 82}]}]"
                        + "| hostNetwork: true, containers: [{ports: [{containerPort: 80, hostPort: 80},"
                        + " {containerPort: 81, hostPort: 82}]}]",
                "containers: [{ports: [{containerPort: 80}]}] | containers: [{ports: [{containerPort: 80}]}]"
            })
    void spec_hasTheDefaultsOfAnApiServer(String spec, String expected) throws IOException {
        Pod defaulted = read("kind: Pod\nspec: {" + spec + "}").pod();
        assertEquals(read("kind: Pod\nspec: {" + expected + "}").pod(), defaulted);
        assertEquals(
                defaulted.getSpec(),
                read("kind: Job\nspec: {template: {spec: {" + spec + "}}}")
                        .pod()
                        .getSpec());
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
        PodManifest manifest = read(
                """
                apiVersion: apps/v1
                kind: %s
                metadata: {name: web, namespace: shop, labels: {of: the-object}}
                spec:
                  %s: 3
                  template: %s
                """.formatted(kind, kind.equals("Job") ? "parallelism" : "replicas", TEMPLATE.replace("\n", "\n    ")));
        assertTrue(manifest.isFromTemplate());
        assertEquals(kind, manifest.kind());
        Pod pod = manifest.pod();
        assertEquals("shop", pod.getMetadata().getNamespace());
        assertEquals("web-", pod.getMetadata().getGenerateName());
        assertEquals("", pod.getMetadata().getName());
        assertEquals(
                switch (kind) {
                    case "Deployment" -> Map.of("app", "web", "pod-template-hash", "next-revision");
                    case "StatefulSet" -> Map.of("app", "web", "controller-revision-hash", "next-revision");
                    case "Job" ->
                        Map.of(
                                "app", "web",
                                "job-name", "web",
                                "batch.kubernetes.io/job-name", "web",
                                "controller-uid", "next-run",
                                "batch.kubernetes.io/controller-uid", "next-run");
                    default -> Map.of("app", "web");
                },
                pod.getMetadata().getLabelsMap());
        assertEquals(kind + "/web", manifest.title());
        assertEquals(1, pod.getSpec().getTopologySpreadConstraintsCount());
        assertEquals(1, pod.getMetadata().getOwnerReferencesCount());
        assertEquals(
                OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind(kind.equals("Deployment") ? "ReplicaSet" : kind)
                        .setName(kind.equals("Deployment") ? "web-next-revision" : "web")
                        .setController(true)
                        .build(),
                pod.getMetadata().getOwnerReferences(0));
    }

    @ParameterizedTest
    @CsvSource({"false, 6", "true, 7"})
    void podOfADaemonSet_hasTheTolerationsThatItsControllerAdds(boolean hostNetwork, int added) throws IOException {
        List<Toleration> tolerations =
                read("""
                        apiVersion: apps/v1
                        kind: DaemonSet
                        metadata: {name: agent}
                        spec: {template: {spec: {hostNetwork: %s, tolerations: [{key: gpu}], containers: [{name: c}]}}}
                        """.formatted(hostNetwork)).pod().getSpec().getTolerationsList();
        assertEquals(1 + added, tolerations.size());
        assertEquals("gpu", tolerations.get(0).getKey());
        String all = tolerations.toString();
        assertTrue(all.contains("node.kubernetes.io/unschedulable"), all);
        assertEquals(hostNetwork, all.contains("node.kubernetes.io/network-unavailable"));
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
        assertEquals(ofCronJob.getSpec(), ofPodTemplate.getSpec());
        assertEquals(Map.of("app", "web"), ofPodTemplate.getMetadata().getLabelsMap());
        assertEquals("next-run", ofCronJob.getMetadata().getLabelsOrThrow("job-name"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind: Service | no workload found: expected one of Pod, CronJob, DaemonSet, Deployment, Job, PodTemplate, ReplicaSet, ReplicationController, StatefulSet; found only 1 Service",
                "kind: List | no workload found",
                "--- {kind: Deploymnet, spec: {}} | found only 1 Deploymnet (did you mean Deployment?)",
                "--- {kind: Job, apiVersion: batch.volcano.sh/v1alpha1, spec: {}} | found only 1 Job of batch.volcano.sh/v1alpha1",
                "--- {kind: List, items: [{metadata: {}}]} | kind must not be missing (items[0].kind)",
                "--- {kind: List, items: [{kind: Deployment}]} | template must not be missing (items[0].spec.template)",
                "metadata: {} | kind must not be missing",
                "kind: Deployment | spec.template",
                "{\"kind\": \"Deployment\", \"spec\": {\"template\": 3} } | template must be an object",
                "[] | must be an object, was a list",
                "'' | the input is empty",
                "kind: 3 | kind must be a string, was the number 3",
            })
    void manifest_isRefused_whenItHoldsNoPod(String text, String problem) {
        ObjectFormatException refused = assertThrows(ObjectFormatException.class, () -> read(text + "\n"));
        assertTrue(refused.getMessage().contains(problem), refused.getMessage());
        assertTrue(refused.getMessage().startsWith("manifest"), refused.getMessage());
    }

    @Test
    void manifest_isRefused_whenItHoldsMoreThanOneWorkload() {
        ObjectFormatException refused = assertThrows(
                ObjectFormatException.class,
                () -> read("kind: Pod\nmetadata: {name: a}\n---\nkind: Job\nspec: {template: {}}\n"));
        assertEquals("manifest: there must be only one workload, but there are Pod/a, Job/", refused.getMessage());
    }

    @Test
    void lists_areSearched_whateverTheOrderOfTheirFields() throws IOException {
        String pod = "{\"metadata\": {\"name\": \"p\"}, \"apiVersion\": \"v1\", \"kind\": \"Pod\"}";
        String service = "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"spec\": {\"items\": [3]}}";
        PodManifest alone = read(pod);
        assertEquals(alone, read("{\"items\": [" + service + "," + pod + "], \"kind\": \"List\"}"));
        assertEquals(alone, read("{\"kind\": \"List\", \"items\": [{\"kind\": \"List\", \"items\": [" + pod + "]}]}"));
        assertEquals(alone, read("{\"kind\": \"PodList\", \"items\": [{\"metadata\": {\"name\": \"p\"}}]}"));
        assertEquals(alone, read(service + "\n" + pod));
    }

    private static PodManifest read(String text) throws IOException {
        return PodManifest.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "manifest");
    }
}
