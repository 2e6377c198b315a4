package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Struct;
import io.evenkeel.commands.Evenkeel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what {@code place} and {@code explain} accept, warn about and reject. */
final class PodQuestionTest {
    private static final String PLAIN = "shop/plain-f9fd99689-6kxdn";
    private static final String NODES = """
            apiVersion: v1
            kind: List
            items:
            - kind: Node
              apiVersion: v1
              metadata: {name: a, uid: node-a, labels: {zone: z1}}
              status: {allocatable: {pods: 110}}
            - kind: Node
              apiVersion: v1
              metadata: {name: b, uid: node-b, labels: {zone: z2}}
              status: {allocatable: {pods: 110}}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void clusterAndPod_comeFromStandardInputOrFiles() throws IOException {
        String pod = """
                kind: Pod
                metadata: {labels: {app: web}}
                spec:
                  topologySpreadConstraints:
                  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
                """;
        Path podFile = file("pod.yaml", pod);
        Path nodesFile = file("nodes.yaml", NODES);
        Run fromInput = Run.withInput(bytes(NODES), "place", "--cluster", "-", "--pod", podFile.toString());
        Run podFromInput = Run.withInput(bytes(pod), "place", "--cluster", nodesFile.toString(), "--pod", "-");
        assertEquals(fromInput, podFromInput);
        assertEquals(0, fromInput.exitCode());
        assertEquals("""
                Pod default/*
                2/2 nodes are available.

                Available nodes
                  NODE  [0] zone
                  a     z1 (0)
                  b     z2 (0)
                """, fromInput.out());
        assertEquals("evenkeel place: warning: the input has no pods: every count is 0\n", fromInput.err());
    }

    @Test
    void resources_areJudged_unlessTheRulesAreThoseOfEnterableNodes() throws IOException {
        Path nodes = file("nodes.yaml", NODES.replace("pods: 110", "pods: 110, cpu: \"1\""));
        Path pod = file("pod.yaml", """
                kind: Pod
                metadata: {name: web}
                spec: {containers: [{name: web, resources: {requests: {cpu: "2"}}}]}
                """);
        List<String> arguments = List.of("explain", "--cluster", nodes.toString(), "--pod", pod.toString());
        Run fitting = Run.of(arguments.toArray(String[]::new));
        assertEquals(
                "0/2 nodes are available: 2 Insufficient cpu.", fitting.lines().get(1));
        assertTrue(fitting.out().contains("cpu: requested 2, free 1 of 1"), fitting.out());
        assertFalse(fitting.out().contains("Resources are incomplete"), fitting.out());
        List<String> enterable = new ArrayList<>(arguments);
        enterable.addAll(List.of("--rules", "enterable"));
        Run entered = Run.of(enterable.toArray(String[]::new));
        assertEquals(
                "2/2 nodes pass what is judged; not judged: resources.",
                entered.lines().get(1));
        assertFalse(entered.out().contains("vailable"), entered.out());
    }

    @Test
    void resourceThatNoNodeHas_isNamed_becauseADeviceClassMayProvideIt() throws IOException {
        String gpu = "pods: 110, example.com/gpu: \"1\"";
        Path pod = file("pod.yaml", """
                kind: Pod
                metadata: {name: web}
                spec: {containers: [{name: web, resources: {requests: {example.com/gpu: "2", example.com/fpga: "1"}}}]}
                """);
        Path nodes = file("nodes.yaml", NODES.replace("pods: 110", gpu));
        Run run = Run.of("explain", "--cluster", nodes.toString(), "--pod", pod.toString());
        assertEquals(
                "0/2 nodes are available: 2 Insufficient example.com/fpga, 2 Insufficient example.com/gpu.",
                run.lines().get(1));
        assertTrue(run.out().contains("  resources.requests[example.com/fpga]\n    No node has it"), run.out());
        assertTrue(run.out().contains("(dynamic resources)"), run.out());
        assertFalse(run.out().contains("[example.com/gpu]"), run.out());
        Path incomplete = file("incomplete.yaml", NODES.replaceFirst("status: .*", "status: {}"));
        Run unknown = Run.of("explain", "--cluster", incomplete.toString(), "--pod", pod.toString());
        assertFalse(unknown.out().contains("No node has it"), unknown.out());
    }

    @Test
    void nodesWithoutAllocatable_takeNoPod_andTheTextSaysSo() throws IOException {
        Path nodes = file("nodes.yaml", NODES.replace("status: {allocatable: {pods: 110}}", "status: {}"));
        Path pod = file("pod.yaml", "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web}]}\n");
        Run run = Run.of("place", "--cluster", nodes.toString(), "--pod", pod.toString());
        assertEquals("0/2 nodes are available: 2 Too many pods.", run.lines().get(1));
        assertTrue(run.out().contains("2 of the nodes came without status.allocatable"), run.out());
    }

    @Test
    void podOfADeployment_isJudgedAsOfItsNextRevision_whosePodsAloneCount() throws IOException {
        Path deployment = file("deployment.yaml", """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  template:
                    metadata: {labels: {app: web}}
                    spec:
                      topologySpreadConstraints:
                      - maxSkew: 1
                        topologyKey: topology.kubernetes.io/zone
                        whenUnsatisfiable: DoNotSchedule
                        labelSelector: {matchLabels: {app: web}}
                        matchLabelKeys: [pod-template-hash]
                      containers: [{name: web}]
                """);
        Run run = Run.withInput(
                RealClusterFile.read("cluster.json.gz"), "explain", "--cluster", "-", "--pod", deployment.toString());
        assertEquals("", run.err());
        assertEquals(
                "Pod shop/web-* (from the template of a Deployment, of its next revision)",
                run.lines().get(0));
        assertTrue(
                run.out().contains("Counts pods with app=web,pod-template-hash=next-revision; this pod is one."),
                run.out());
        assertFalse(run.out().contains("Likely mistakes"), run.out());
        // A pod that already has this label value is not of the next revision.
        String taken = NODES + """
                - kind: Pod
                  apiVersion: v1
                  metadata: {name: p, namespace: shop, uid: p, labels: {app: web, pod-template-hash: next-revision}}
                  spec: {nodeName: a}
                """;
        Run beside = Run.withInput(bytes(taken), "explain", "--cluster", "-", "--pod", deployment.toString());
        assertTrue(beside.out().contains("pod-template-hash=next-revision-2;"), beside.out());
    }

    @ParameterizedTest
    @CsvSource({
        "Deployment, pod-template-hash, 2/2",
        "StatefulSet, controller-revision-hash, 2/2",
        "CronJob, job-name, 2/2",
        "Job, controller-uid, 2/2",
        // Its pods lack this label unless the template has it, so the key is ignored.
        "ReplicaSet, pod-template-hash, 1/2",
    })
    void podsOfEarlierRevisions_doNotCount_ifMatchLabelKeysDistinguishesThem(String kind, String key, String available)
            throws IOException {
        String template = """
                template:
                  metadata: {labels: {app: web}}
                  spec:
                    topologySpreadConstraints:
                    - maxSkew: 1
                      topologyKey: zone
                      whenUnsatisfiable: DoNotSchedule
                      labelSelector: {matchLabels: {app: web}}
                      matchLabelKeys: [%s]
                    containers: [{name: web}]
                """.formatted(key).indent(2);
        String spec = kind.equals("CronJob")
                ? "spec:\n  jobTemplate:\n    spec:\n" + template.indent(4)
                : "spec:\n" + template;
        Path manifest = file("workload.yaml", "kind: " + kind + "\nmetadata: {name: web, namespace: shop}\n" + spec);
        String cluster = NODES + """
                - kind: Pod
                  apiVersion: v1
                  metadata: {name: web-1, namespace: shop, uid: web-1, labels: {app: web, %s: old}}
                  spec: {nodeName: a}
                """.formatted(key);
        Run run = Run.withInput(bytes(cluster), "explain", "--cluster", "-", "--pod", manifest.toString());
        assertEquals("", run.err());
        assertTrue(run.lines().get(1).startsWith(available + " nodes are available"), run.out());
        assertEquals(kind.equals("ReplicaSet"), run.out().contains("Likely mistakes"), run.out());
    }

    private static final String HARD_DEFAULTS = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - pluginConfig:
              - name: PodTopologySpread
                args:
                  defaultingType: List
                  defaultConstraints:
                  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // The selector of the next rollout's ReplicaSet also contains its hash.
                "Deployment | apps/v1 | {matchLabels: {app: web}} | app=web,pod-template-hash=next-revision | 2/2",
                "Deployment | apps/v1 | null | app=web,pod-template-hash=next-revision | 2/2",
                "ReplicaSet | apps/v1 | {matchLabels: {app: web}} | app=web | 1/2",
                "StatefulSet | apps/v1 | {matchExpressions: [{key: app, operator: In, values: [web, api]}]} | app in (api,web) | 1/2",
                "ReplicationController | v1 | {app: web} | app=web | 1/2",
                "ReplicationController | v1 | null | app=web | 1/2",
            })
    void defaultsOfATemplatesPod_takeTheSelectorOfItsController(
            String kind, String apiVersion, String selector, String effective, String available) throws IOException {
        Path manifest = file("workload.yaml", """
                kind: %s
                apiVersion: %s
                metadata: {name: web, namespace: shop}
                spec:
                  selector: %s
                  template: {metadata: {labels: {app: web}}, spec: {}}
                """.formatted(kind, apiVersion, selector));
        String cluster = NODES + """
                - kind: Pod
                  apiVersion: v1
                  metadata: {name: web-1, namespace: shop, uid: web-1, labels: {app: web, pod-template-hash: old}}
                  spec: {nodeName: a}
                - kind: Service
                  apiVersion: v1
                  metadata: {name: other, namespace: shop, uid: other}
                  spec: {selector: {app: other}}
                """;
        Path config = file("config.yaml", HARD_DEFAULTS);
        Run run = Run.withInput(
                bytes(cluster),
                "explain",
                "--cluster",
                "-",
                "--scheduler-config",
                config.toString(),
                "--pod",
                manifest.toString());
        assertEquals("", run.err());
        assertTrue(run.out().contains("Counts pods with " + effective + "; this pod is one."), run.out());
        assertTrue(run.lines().get(1).startsWith(available + " nodes are available"), run.out());
    }

    private static final String THREE_OBJECTS = """
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {selector: {app: web}}
            ---
            apiVersion: v1
            kind: List
            items:
            - apiVersion: apps/v1
              kind: Deployment
              metadata: {name: web}
              spec: {template: {metadata: {labels: {app: web}}, spec: {}}}
            - {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {kind: Pod}}
            """;

    @Test
    void workload_isFoundAmongOtherObjects_andIsInTheNamespaceThatIsSaid() throws IOException {
        Path file = file("all.yaml", THREE_OBJECTS);
        Path cluster = file("cluster.yaml", NODES);
        Run run = Run.of(
                "place", "--cluster", cluster.toString(), "--defaults", "none", "-n", "shop", "--pod", file.toString());
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(
                "Pod shop/web-* (from the template of a Deployment, of its next revision)",
                run.lines().get(0));
        Run elsewhere =
                Run.of("place", "--cluster", cluster.toString(), "--defaults", "none", "--pod", file.toString());
        assertTrue(elsewhere.lines().get(0).startsWith("Pod default/web-*"), elsewhere.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 2 | evenkeel place: FILE contains several workloads: Deployment/web, StatefulSet/web in shop, StatefulSet/web in data; choose one, for instance with --workload Deployment/web",
                "--workload statefulset/web | 2 | evenkeel place: FILE contains several workloads: StatefulSet/web in shop, StatefulSet/web in data; choose one, for instance with --namespace",
                "--workload Job/web | 2 | evenkeel place: FILE has no Job/web; it contains Deployment/web, StatefulSet/web in shop, StatefulSet/web in data",
                "--workload statefulset/web -n other | 2 | evenkeel place: FILE has no workload in the namespace other (--namespace); it contains StatefulSet/web in shop, StatefulSet/web in data",
                "--workload statefulset/web -n data | 0 | Pod data/web-* (from the template of a StatefulSet, of its next revision)",
                "--workload Deployment/web | 0 | Pod default/web-* (from the template of a Deployment, of its next revision)",
            })
    void severalWorkloads_areDistinguished(String arguments, int exitCode, String line) throws IOException {
        Path file = file("all.yaml", THREE_OBJECTS + """
                - {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web, namespace: shop}, spec: {template: {}}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: web, namespace: data}
                spec: {template: {}}
                """);
        Path cluster = file("cluster.yaml", NODES);
        Run run = Run.of(("place --defaults none --cluster " + cluster + " --pod " + file + " " + arguments)
                .strip()
                .split(" "));
        String told = run.exitCode() == 0
                ? run.lines().get(0)
                : run.err()
                        .lines()
                        .filter(each -> !each.contains(": warning: "))
                        .reduce("", String::concat);
        assertEquals(line, told.replace(file.toString(), "FILE"));
        assertEquals(exitCode, run.exitCode());
    }

    @Test
    void podInAFile_isThoughtAway_whenItIsPlacedInTheCluster() throws IOException {
        Path pod = file("pod.yaml", "kind: Pod\nmetadata: {namespace: ml, name: train-875df5f86-47wp6}\nspec: {}\n");
        Run run = Run.withInput(
                RealClusterFile.read("cluster.json.gz"), "place", "--cluster", "-", "--pod", pod.toString());
        assertTrue(run.out().contains("The pod already has a node"), run.out());
    }

    @Test
    void objectsWithoutUids_areRead() {
        String cluster = """
                ---
                {kind: Node, apiVersion: v1, metadata: {name: a, labels: {topology.kubernetes.io/zone: za}}}
                ---
                {kind: Node, apiVersion: v1, metadata: {name: b, labels: {topology.kubernetes.io/zone: zb}}}
                ---
                {kind: Pod, apiVersion: v1, metadata: {name: web-1, namespace: shop, labels: {app: web}}, spec: {nodeName: a}}
                ---
                {kind: Pod, apiVersion: v1, metadata: {name: web-1, namespace: other, labels: {app: web}}}
                """;
        Run run = Run.withInput(
                bytes(cluster), "place", "--rules", "enterable", "--defaults", "none", "--cluster", "-", "shop/web-1");
        assertEquals("", run.err());
        assertTrue(run.lines().get(1).startsWith("2/2 nodes pass what is judged; "), run.out());
    }

    @Test
    void refusedObjects_areWarnedOf_andTheOthersUsed() {
        String cluster = NODES + """
                - kind: Pod
                  apiVersion: v1
                  metadata: {name: odd, namespace: shop, resourceVersion: x}
                - kind: Pod
                  apiVersion: v1
                  metadata: {name: web-1, namespace: shop, uid: web-1}
                """;
        Run run = Run.withInput(bytes(cluster), "place", "--defaults", "none", "--cluster", "-", "shop/web-1");
        assertTrue(run.err().startsWith("evenkeel place: warning: standard input: object 3 (shop/odd) was skipped: "));
        assertTrue(run.err().contains("pod.metadata.resourceVersion"), run.err());
        assertEquals(0, run.exitCode());
        assertEquals("2/2 nodes are available.", run.lines().get(1));
    }

    @Test
    void refusedObjects_areCounted_whenThereAreMany() {
        StringBuilder cluster = new StringBuilder(NODES);
        for (int i = 0; i < 300; i++) {
            cluster.append("- {kind: Pod, apiVersion: v1, metadata: {name: p, namespace: shop, resourceVersion: x}}\n");
        }
        cluster.append("- {kind: Pod, apiVersion: v1, metadata: {name: q, namespace: shop, uid: q}}\n");
        Run run = Run.withInput(bytes(cluster.toString()), "place", "--defaults", "none", "--cluster", "-", "shop/q");
        List<String> warnings = run.err().lines().toList();
        assertEquals(21, warnings.size());
        assertEquals(
                "evenkeel place: warning: standard input: 280 more objects were skipped",
                warnings.get(warnings.size() - 1));
    }

    @Test
    void missingOwners_areWarnedOf_whenDefaultsNeedThem() throws IOException {
        assertEquals("", place(object -> true, PLAIN));
        assertEquals(
                "the input has no services, replicationcontrollers, replicasets or statefulsets, but the pod has no constraints,"
                        + " and the cluster-level defaults take their selector from these",
                place(object -> Arrays.asList("Node", "Pod").contains(RealClusterFile.kind(object)), PLAIN));
        assertEquals(
                "the input has no services, but the pod has no constraints, and the cluster-level defaults take their selector"
                        + " from services too",
                place(object -> !RealClusterFile.kind(object).equals("Service"), PLAIN));
        assertEquals(
                "the input lacks ReplicaSet shop/plain-f9fd99689, the pod's controller; the cluster-level defaults take their"
                        + " selector from it too",
                place(object -> !RealClusterFile.kind(object).equals("ReplicaSet"), PLAIN));
        assertEquals(
                "",
                place(
                        object -> Arrays.asList("Node", "Pod").contains(RealClusterFile.kind(object)),
                        "data/cache-6c56bc7d6c-4lpml"));
    }

    /** The warning, without its prefix. */
    private String place(java.util.function.Predicate<Struct> kept, String pod) throws IOException {
        Path cluster = RealClusterFile.write(directory, "cluster.json", kept, object -> object);
        Run run = Run.of("place", "--cluster", cluster.toString(), pod);
        assertEquals(0, run.exitCode());
        return run.err().replace("evenkeel place: warning: ", "").strip();
    }

    @Test
    void defaults_areTakenFromTheProfileOfThePodsScheduler() throws IOException {
        Path config = file("config.yaml", """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - schedulerName: default-scheduler
                  pluginConfig:
                  - name: PodTopologySpread
                    args:
                      defaultingType: List
                      defaultConstraints:
                      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
                - schedulerName: other
                """);
        byte[] cluster = RealClusterFile.read("cluster.json.gz");
        Run configured =
                Run.withInput(cluster, "explain", "--cluster", "-", "--scheduler-config", config.toString(), PLAIN);
        assertTrue(
                configured.out().contains("[0] topology.kubernetes.io/zone: DoNotSchedule, maxSkew 1"),
                configured.out());
        assertTrue(configured.out().contains("these are the cluster-level defaults"), configured.out());
        Run none = Run.withInput(cluster, "explain", "--cluster", "-", "--defaults", "none", PLAIN);
        assertTrue(none.out().contains("there are no cluster-level defaults"), none.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cluster PODS shop/nobody | 2 | evenkeel explain: there is no pod shop/nobody in PODS",
                "--cluster PODS shop/wbe | 2 | evenkeel explain: there is no pod shop/wbe in PODS",
                "--cluster PODS shop/web-f9fd9968-6kxd | 2 | evenkeel explain: there is no pod shop/web-f9fd9968-6kxd in PODS; did you mean shop/web-f9fd99689-6kxdn?",
                "--cluster PODS web | 2 | evenkeel explain: there is no pod default/web in PODS",
                "--cluster PODS -n shop web | 2 | evenkeel explain: there is no pod shop/web in PODS; did you mean shop/web-f9fd99689-6kxdn, or shop/web-f9fd99689-7zzzz?",
                "--cluster PODS web-f9fd99689-7zzzz | 2 | evenkeel explain: there is no pod default/web-f9fd99689-7zzzz in PODS; did you mean shop/web-f9fd99689-7zzzz?",
                "--cluster absent.json shop/a | 2 | evenkeel explain: absent.json: no such file",
                "--cluster DIRECTORY shop/a | 2 | evenkeel explain: DIRECTORY: Is a directory",
                "--cluster CLUSTER --pod DIRECTORY | 2 | evenkeel explain: DIRECTORY: Is a directory",
                "--cluster CLUSTER --scheduler-config DIRECTORY shop/a | 2 | evenkeel explain: DIRECTORY: Is a directory",
                "--server localhost:1 --token-file DIRECTORY shop/a | 2 | evenkeel explain: --token-file DIRECTORY: Is a directory",
                "'--server localhost:1 --ca DIRECTORY shop/a' | 2 | 'evenkeel explain: --ca, --cert and --key: Is a directory'",
                "--cluster CUT shop/a | 2 | evenkeel explain: CUT, line 1, column 10: the input is truncated, after 0 objects",
                "--cluster CLUSTER --pod CLUSTER | 2 | evenkeel explain: CLUSTER: no workload found: expected one of Pod, CronJob, DaemonSet, Deployment, Job, PodTemplate, ReplicaSet, ReplicationController, StatefulSet; found only 2 Node",
                "--cluster CLUSTER --pod INVALID | 2 | evenkeel explain: maxSkew must be at least 1, was 0 (pod.spec.topologySpreadConstraints[0].maxSkew)",
                "--cluster CLUSTER --scheduler-config CUT shop/a | 2 | evenkeel explain: CUT, line 1, column 10: the input is truncated, after 0 objects",
                "--cluster CLUSTER | 2 | 'evenkeel explain: Error: Missing required argument (specify one of these): ([NAMESPACE/][KIND/]NAME | --pod=FILE) (see evenkeel explain --help)'",
                "shop/a | 2 | evenkeel explain: no cluster given: use --cluster=FILE, --kube or --server=HOST:PORT (see evenkeel explain --help)",
                "--cluster CLUSTER a/b/c | 2 | evenkeel explain: the pod must be named as NAME or NAMESPACE/NAME, or the workload as KIND/NAME, was 'a/b/c' (see evenkeel explain --help)",
                "--cluster CLUSTER -n b a/b | 2 | evenkeel explain: the pod and --namespace must name the same namespace, was 'a/b' with --namespace b (see evenkeel explain --help)",
                "--cluster CLUSTER --workload Job/a a/b | 2 | evenkeel explain: --workload needs --pod (see evenkeel explain --help)",
                "--cluster CLUSTER --pod INVALID --workload a | 2 | evenkeel explain: --workload must be KIND/NAME, was 'a' (see evenkeel explain --help)",
                "--cluter CLUSTER a/b | 2 | evenkeel explain: Unknown options: '--cluter', 'a/b'; did you mean --cluster? (see evenkeel explain --help)",
                "--cluster CLUSTER --row=3 a/b | 2 | evenkeel explain: Unknown option: '--row=3'; did you mean --rows? (see evenkeel explain --help)",
                "--cluster - --cluster - a/b | 2 | evenkeel explain: standard input can be read only once (see evenkeel explain --help)",
                "--cluster CLUSTER --rows 0 a/b | 2 | evenkeel explain: --rows must be at least 1, was 0 (see evenkeel explain --help)",
            })
    void problem_isReportedInOneLine(String arguments, int exitCode, String line) throws IOException {
        Path cluster = file("cluster.yaml", NODES);
        Path pods = file("pods.yaml", NODES + """
                - {kind: Pod, apiVersion: v1, metadata: {name: web-f9fd99689-6kxdn, namespace: shop, uid: p}}
                - {kind: Pod, apiVersion: v1, metadata: {name: web-f9fd99689-7zzzz, namespace: shop, uid: q}}
                - {kind: Pod, apiVersion: v1, metadata: {name: db, namespace: shop, uid: r}}
                """);
        Path cut = file("cut.json", "{\"kind\": \"");
        Path invalid = file("invalid.yaml", """
                kind: Pod
                spec:
                  topologySpreadConstraints:
                  - {maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
                """);
        Run run = Run.of(("explain " + arguments)
                .replace("CLUSTER", cluster.toString())
                .replace("PODS", pods.toString())
                .replace("CUT", cut.toString())
                .replace("INVALID", invalid.toString())
                .replace("DIRECTORY", directory.toString())
                .split(" "));
        String told = run.err()
                .replace(cluster.toString(), "CLUSTER")
                .replace(pods.toString(), "PODS")
                .replace(cut.toString(), "CUT")
                .replace(directory.toString(), "DIRECTORY")
                .lines()
                .filter(each -> !each.contains(": warning: "))
                .reduce("", (one, other) -> one + other);
        assertEquals(line, told);
        assertEquals(exitCode, run.exitCode());
        assertEquals("", run.out());
    }

    @Test
    void programOfItsOwn_answersFromStandardInput() throws IOException, InterruptedException {
        Process process = ForkedJava.of(
                        List.of(),
                        Evenkeel.class,
                        List.of("explain", "--cluster", "-", "shop/stuck-zone-89f4fcf4d-rb6g2"))
                .start();
        process.getOutputStream().write(RealClusterFile.read("cluster.json.gz"));
        process.getOutputStream().close();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        process.getInputStream().transferTo(out);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(1, TimeUnit.MINUTES));
        assertEquals("", err);
        assertEquals(0, process.exitValue());
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("0/19 nodes are available: "));
    }

    @Test
    void help_saysTheFormsAndTheExitCodes() {
        Run run = Run.of("place", "--help");
        assertEquals(0, run.exitCode());
        for (String part : List.of("evenkeel.v1.ReadableAnswer", "--cluster=FILE", "Exit codes:", "[KIND/]NAME")) {
            assertTrue(run.out().contains(part), part);
        }
        assertTrue(Run.of("explain", "--help").out().contains("evenkeel.v1.ExplainResponse"));
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
