package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.evenkeel.loadtest.local.ManagedProcess;
import io.evenkeel.loadtest.local.ServerUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class ManifestsTest {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final Path MANIFESTS = Path.of("../../server/deploy");

    /** What the Helm chart contains for some values, as its own test has checked. */
    private static final Path CHART = Path.of("../../server/service/chart/testdata/objects");

    private static final List<String> FOLLOWED = List.of(
            "nodes",
            "pods",
            "services",
            "replicationcontrollers",
            "replicasets.apps",
            "statefulsets.apps",
            "poddisruptionbudgets.policy");
    private static final String WEBHOOKS =
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/evenkeel";
    private static final String SELECTOR = "\"selector\": {\"matchLabels\": {\"app\": \"web\"}}, ";
    private static final String OWNED =
            ", \"ownerReferences\": [{\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\","
                    + " \"name\": \"web\", \"uid\": \"1\", \"controller\": true}]";
    private static final String FIELDS = "topologySpreadConstraints[0].";
    private static final String BY_POLICY =
            "Validation failed for ValidatingAdmissionPolicy 'evenkeel-spread' with binding 'evenkeel-spread': ";

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
    @Timeout(300)
    void chartAndManifests_areAccepted_andTheAccountMayReadTheSevenKindsOnly(@TempDir Path directory) throws Exception {
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"))) {
            plane.kubectl("create", "namespace", "evenkeel");
            for (String values : List.of("default", "fed", "everything")) {
                apply(plane, CHART.resolve(values + ".yaml"), "--dry-run=server");
            }
            apply(plane, CHART.resolve("default.yaml"));
            assertAccountMayReadTheSevenKindsOnly(plane);
            plane.kubectl("delete", "-f", CHART.resolve("default.yaml").toString());
            for (String file : List.of("rbac", "provisioning", "sidecar", "kube-scheduler", "admission-policy")) {
                apply(plane, MANIFESTS.resolve(file + ".yaml"));
            }
            assertAccountMayReadTheSevenKindsOnly(plane);
            // The account and its rights exist already, and the rest is created.
            apply(plane, CHART.resolve("everything.yaml"));
            assertWebhookAndPolicyWarn(plane, directory);
        }
    }

    private static void apply(ControlPlane plane, Path file, String... options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("apply", "--validate=strict", "-f", file.toString()));
        arguments.addAll(List.of(options));
        String said = plane.kubectl(arguments.toArray(String[]::new));
        assertTrue(said.contains(" created"), said);
    }

    private static void assertAccountMayReadTheSevenKindsOnly(ControlPlane plane)
            throws IOException, InterruptedException {
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

    private static void assertWebhookAndPolicyWarn(ControlPlane plane, Path directory) throws Exception {
        ApiServer api = plane.client();
        api.call("POST", "/api/v1/nodes", """
                        {"metadata": {"name": "a", "labels": {"topology.kubernetes.io/zone": "a"}}}
                        """).join();
        api.call("PATCH", "/api/v1/nodes/a", "{\"spec\": {\"taints\": []}}").join();
        Queue<String> log = new ConcurrentLinkedQueue<>();
        try (ServerUnderTest server = ServerUnderTest.serve(
                List.of(),
                log::add,
                "--kube",
                "--kubeconfig",
                ServiceAccount.kubeconfig(plane, directory).toString(),
                "--admission",
                "127.0.0.1:0",
                "--tls-cert",
                plane.directory().resolve("apiserver.crt").toString(),
                "--tls-key",
                plane.directory().resolve("apiserver.key").toString())) {
            server.awaitReady();
            // The port is not known before, and no service leads out of the control plane.
            JsonNode webhooks = api.call("GET", WEBHOOKS, "").join().path("webhooks");
            ((ObjectNode) webhooks.get(0))
                    .putObject("clientConfig")
                    .put("url", url(log))
                    .put("caBundle", Files.readAllBytes(plane.directory().resolve("ca.crt")));
            api.call("PATCH", WEBHOOKS, "{\"webhooks\": " + webhooks + "}").join();

            String zoen = constraint("topology.kubernetes.io/zoen", "\"matchLabels\": {\"app\": \"wbe\"}");
            List<String> expected = List.of(
                    BY_POLICY + "a labelSelector in topologySpreadConstraints does not match the pod's own labels",
                    FIELDS + "labelSelector: does not match the pod's own labels, because of app=wbe",
                    FIELDS + "topologyKey: no node has this label; did you mean topology.kubernetes.io/zone?");
            while (!warnings(api, "apps", "Deployment", "default", template(zoen, ""))
                    .equals(expected)) {
                Thread.sleep(100);
            }
            assertEquals(
                    expected,
                    warnings(
                            api,
                            "batch",
                            "CronJob",
                            "default",
                            "{\"schedule\": \"@daily\", \"jobTemplate\": {\"spec\": "
                                    + template(zoen, "\"restartPolicy\": \"Never\", ")
                                            .replace(SELECTOR, "") + "}}"));
            assertEquals(List.of(), warnings(api, "apps", "Deployment", "kube-system", template(zoen, "")));
            String zone = constraint("topology.kubernetes.io/zone", "\"matchLabels\": {\"app\": \"web\"}");
            List<String> single =
                    List.of(FIELDS + "minDomains: only one domain is eligible, a, so the constraint limits nothing");
            assertEquals(single, warnings(api, "apps", "ReplicaSet", "default", template(zone, "")));
            assertEquals(List.of(), warnings(api, "apps", "ReplicaSet", "default", template(zoen, ""), OWNED));
            assertEquals(
                    single,
                    warnings(
                            api,
                            "",
                            "ReplicationController",
                            "default",
                            template(zone, "").replace(SELECTOR, "\"selector\": {\"app\": \"web\"}, ")));
            assertEquals(
                    List.of(
                            BY_POLICY + "a DaemonSet restricts each pod to one node, so a hard constraint in"
                                    + " topologySpreadConstraints spreads nothing",
                            "topologySpreadConstraints[0]: a DaemonSet restricts each pod to one node, so the"
                                    + " constraint spreads nothing"),
                    warnings(api, "apps", "DaemonSet", "default", template(zone, "")));
            assertEquals(
                    List.of(),
                    warnings(
                            api,
                            "apps",
                            "DaemonSet",
                            "default",
                            template("{\"nodeAffinityPolicy\": \"Ignore\", " + zone.substring(1), "")));
            List<String> empty = List.of(
                    BY_POLICY + "an empty labelSelector in topologySpreadConstraints matches no pods, so the"
                            + " constraint counts nothing",
                    FIELDS + "labelSelector: an empty selector matches no pods here, so the constraint counts nothing",
                    single.get(0));
            assertEquals(
                    empty,
                    warnings(api, "", "Pod", "default", spec(constraint("topology.kubernetes.io/zone", ""), "")));
            String byKeys = constraint("topology.kubernetes.io/zone", "");
            assertEquals(
                    single,
                    warnings(
                            api,
                            "apps",
                            "Deployment",
                            "default",
                            template("{\"matchLabelKeys\": [\"app\"], " + byKeys.substring(1), "")));
            assertEquals(
                    single,
                    warnings(
                            api,
                            "apps",
                            "Deployment",
                            "default",
                            template("{\"matchLabelKeys\": [\"pod-template-hash\"], " + byKeys.substring(1), "")));
            assertEquals(
                    empty,
                    warnings(
                            api,
                            "apps",
                            "Deployment",
                            "default",
                            template("{\"matchLabelKeys\": [\"team\"], " + byKeys.substring(1), "")));
            assertEquals(
                    List.of(
                            expected.get(0),
                            FIELDS + "labelSelector: does not match the pod's own labels, because of"
                                    + " pod-template-hash=x"),
                    warnings(
                            api,
                            "apps",
                            "ReplicaSet",
                            "default",
                            template(zone.replace("\"app\": \"web\"", "\"pod-template-hash\": \"x\""), "")));
            String ofJob = constraint(
                    "topology.kubernetes.io/zone",
                    "\"matchExpressions\": [{\"key\": \"job-name\", \"operator\": \"In\", \"values\": [\"web\"]}]");
            assertEquals(
                    single,
                    warnings(
                            api,
                            "batch",
                            "Job",
                            "default",
                            template(ofJob, "\"restartPolicy\": \"Never\", ").replace(SELECTOR, "")));
            List<String> ofKubernetes = warnings(
                    api,
                    "apps",
                    "Deployment",
                    "default",
                    template(zone.replace(", \"labelSelector\": {\"matchLabels\": {\"app\": \"web\"}}", ""), ""));
            assertEquals(1, ofKubernetes.size(), ofKubernetes::toString);
            assertTrue(ofKubernetes.get(0).contains("a null labelSelector results in matching no pod"));
            String soft = template(zone.replace("DoNotSchedule", "ScheduleAnyway"), "");
            assertUpdateIsWarnedOf(plane, directory, soft, template(zoen, ""), expected);
            assertOutagesAreIgnored(plane, directory, server, template(zoen, ""), expected);
        }
    }

    private static void assertUpdateIsWarnedOf(
            ControlPlane plane, Path directory, String before, String after, List<String> expected) throws Exception {
        assertEquals(List.of("deployment.apps/updated created"), applied(plane, directory, "updated", before));
        List<String> said = new ArrayList<>(List.of("deployment.apps/updated configured"));
        expected.forEach(each -> said.add("Warning: " + each));
        assertEquals(
                said.stream().sorted().toList(),
                applied(plane, directory, "updated", after).stream().sorted().toList());
        assertEquals(
                "deployment.apps/updated scaled\n", plane.kubectl("scale", "deployment", "updated", "--replicas=0"));
    }

    /** The server hangs, continues, and ends. */
    private static void assertOutagesAreIgnored(
            ControlPlane plane, Path directory, ServerUnderTest server, String spec, List<String> expected)
            throws Exception {
        ApiServer api = plane.client();
        int ignored = ignoredCalls(api);
        signal("-STOP", server);
        try {
            assertEquals(
                    List.of("Warning: " + expected.get(0), "deployment.apps/hanging created"),
                    applied(plane, directory, "hanging", spec));
            assertEquals(ignored + 1, ignoredCalls(api));
        } finally {
            signal("-CONT", server);
        }
        while (!warnings(api, "apps", "Deployment", "default", spec).equals(expected)) {
            Thread.sleep(100);
        }
        server.close();
        ignored = ignoredCalls(api);
        assertEquals(
                List.of("Warning: " + expected.get(0), "deployment.apps/ended created"),
                applied(plane, directory, "ended", spec));
        assertEquals(ignored + 1, ignoredCalls(api));
    }

    private static void signal(String signal, ServerUnderTest server) throws IOException, InterruptedException {
        ManagedProcess.output(List.of("kill", signal, String.valueOf(server.pid())));
    }

    /** How many calls of the webhook have failed so far, and their requests were admitted. */
    private static int ignoredCalls(ApiServer api) {
        String metric =
                "apiserver_admission_webhook_fail_open_count{name=\"warnings.evenkeel.io\",type=\"validating\"} ";
        return api.text("/metrics")
                .join()
                .lines()
                .filter(line -> line.startsWith(metric))
                .mapToInt(line -> Integer.parseInt(line.substring(metric.length())))
                .sum();
    }

    /** The output of {@code kubectl apply} with a Deployment, which is kept. */
    private static List<String> applied(ControlPlane plane, Path directory, String name, String spec)
            throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve(name + ".json"), """
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "%s"}, "spec": %s}
                """.formatted(name, spec));
        return plane.kubectl("apply", "-f", file.toString()).lines().toList();
    }

    private static String url(Queue<String> log) throws InterruptedException {
        String before = "admission webhook at ";
        while (true) {
            for (String line : log) {
                if (line.contains(before)) {
                    return line.substring(line.indexOf(before) + before.length());
                }
            }
            Thread.sleep(50);
        }
    }

    /** The warnings about an object that is not kept, in order. */
    private static List<String> warnings(ApiServer api, String group, String kind, String namespace, String spec) {
        return warnings(api, group, kind, namespace, spec, "");
    }

    private static List<String> warnings(
            ApiServer api, String group, String kind, String namespace, String spec, String metadata) {
        String version = group.isEmpty() ? "v1" : group + "/v1";
        String path = (group.isEmpty() ? "/api/" : "/apis/") + version + "/namespaces/" + namespace + "/"
                + kind.toLowerCase(Locale.ROOT) + "s?dryRun=All";
        return api.warnings("POST", path, """
                        {"apiVersion": "%s", "kind": "%s", "spec": %s,
                         "metadata": {"name": "web", "labels": {"app": "web"}%s}}
                        """.formatted(version, kind, spec, metadata)).join().stream()
                .map(header -> header.replaceFirst("^299 - \"(.*)\"$", "$1"))
                .sorted()
                .toList();
    }

    private static String template(String constraint, String spec) {
        return "{" + SELECTOR + "\"template\": {\"metadata\": {\"labels\": {\"app\": \"web\"}}, \"spec\": "
                + spec(constraint, spec) + "}}";
    }

    private static String spec(String constraint, String spec) {
        return "{" + spec + "\"containers\": [{\"name\": \"main\", \"image\": \"registry.example/app:1\"}],"
                + " \"topologySpreadConstraints\": [" + constraint + "]}";
    }

    private static String constraint(String key, String selector) {
        return "{\"maxSkew\": 1, \"whenUnsatisfiable\": \"DoNotSchedule\", \"topologyKey\": \"" + key
                + "\", \"labelSelector\": {" + selector + "}}";
    }

    /** The output of {@code kubectl auth can-i}, which fails for "no". */
    private static String mayI(ControlPlane plane, String verb, String kind) throws IOException, InterruptedException {
        String answer =
                plane.kubectl("auth", "can-i", verb, kind, "-A", "--as=system:serviceaccount:evenkeel:evenkeel");
        return answer.lines().reduce("", (before, line) -> line);
    }
}
