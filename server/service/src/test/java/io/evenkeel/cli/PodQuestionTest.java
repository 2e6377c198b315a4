package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.commands.Evenkeel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
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
                  - maxSkew: 1
                    topologyKey: zone
                    whenUnsatisfiable: DoNotSchedule
                    labelSelector: {matchLabels: {app: web}}
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
    @CsvSource(delimiter = '|', textBlock = """
                    # The selector of the next rollout's ReplicaSet also contains its hash.
                    Deployment  | apps/v1 | {matchLabels: {app: web}} | app=web,pod-template-hash=next-revision | 2/2
                    Deployment  | apps/v1 | null                      | app=web,pod-template-hash=next-revision | 2/2
                    ReplicaSet  | apps/v1 | {matchLabels: {app: web}} | app=web                                 | 1/2
                    StatefulSet | apps/v1 | \
                        {matchExpressions: [{key: app, operator: In, values: [web, api]}]} | app in (api,web) | 1/2
                    ReplicationController | v1 | {app: web} | app=web | 1/2
                    ReplicationController | v1 | null       | app=web | 1/2
                    """)
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
    @CsvSource(delimiter = '|', textBlock = """
                    ''                                  | \
                        contains several workloads: ALL; choose one, for instance with --workload Deployment/web
                    --workload statefulset/web          | \
                        contains several workloads: SETS; choose one, for instance with --namespace
                    --workload Job/web                  | has no Job/web; it contains ALL
                    --workload statefulset/web -n other | \
                        has no workload in the namespace other (--namespace); it contains SETS
                    """)
    void severalWorkloads_areListed_unlessOneIsChosen(String arguments, String problem) throws IOException {
        Path file = severalWorkloads();
        Run run = place(file, arguments);
        String sets = "StatefulSet/web in shop, StatefulSet/web in data";
        assertEquals(
                "evenkeel place: " + file + " "
                        + problem.replace("ALL", "Deployment/web, " + sets).replace("SETS", sets),
                withoutWarnings(run));
        assertEquals(2, run.exitCode());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --workload statefulset/web -n data | data    | StatefulSet
                    --workload Deployment/web          | default | Deployment
                    """)
    void workload_isChosen_byKindNameAndNamespace(String arguments, String namespace, String kind) throws IOException {
        Run run = place(severalWorkloads(), arguments);
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(
                "Pod " + namespace + "/web-* (from the template of a " + kind + ", of its next revision)",
                run.lines().get(0));
    }

    private Path severalWorkloads() throws IOException {
        return file("all.yaml", THREE_OBJECTS + """
                - {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web, namespace: shop}, spec: {template: {}}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: web, namespace: data}
                spec: {template: {}}
                """);
    }

    private Run place(Path pod, String arguments) throws IOException {
        Path cluster = file("cluster.yaml", NODES);
        return Run.of(("place --defaults none --cluster " + cluster + " --pod " + pod + " " + arguments)
                .strip()
                .split(" "));
    }

    private static String withoutWarnings(Run run) {
        return run.err().lines().filter(line -> !line.contains(": warning: ")).collect(Collectors.joining());
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
                kind: Pod
                apiVersion: v1
                metadata: {name: web-1, namespace: shop, labels: {app: web}}
                spec: {nodeName: a}
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
        assertEquals("", warning(kind -> true, PLAIN));
        assertEquals(
                "the input has no services, replicationcontrollers, replicasets or statefulsets, but the pod has no"
                        + " constraints, and the cluster-level defaults take their selector from these",
                warning(kind -> kind.equals("Node") || kind.equals("Pod"), PLAIN));
        assertEquals(
                "the input has no services, but the pod has no constraints, and the cluster-level defaults take their"
                        + " selector from services too",
                warning(kind -> !kind.equals("Service"), PLAIN));
        assertEquals(
                "the input lacks ReplicaSet shop/plain-f9fd99689, the pod's controller; the cluster-level defaults"
                        + " take their selector from it too",
                warning(kind -> !kind.equals("ReplicaSet"), PLAIN));
        assertEquals("", warning(kind -> kind.equals("Node") || kind.equals("Pod"), "data/cache-6c56bc7d6c-4lpml"));
    }

    /**
     * The warning of an answer for a pod, without its prefix.
     *
     * @param kinds those that the input has
     */
    private String warning(Predicate<String> kinds, String pod) throws IOException {
        Path cluster = RealClusterFile.write(
                directory, "cluster.json", object -> kinds.test(RealClusterFile.kind(object)), object -> object);
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
    @CsvSource(delimiter = '|', textBlock = """
                    --cluster PODS shop/nobody             | there is no pod shop/nobody in PODS
                    --cluster PODS shop/wbe                | there is no pod shop/wbe in PODS
                    --cluster PODS shop/web-f9fd9968-6kxd  | \
                        there is no pod shop/web-f9fd9968-6kxd in PODS; did you mean shop/web-f9fd99689-6kxdn?
                    --cluster PODS web                     | there is no pod default/web in PODS
                    --cluster PODS -n shop web             | \
                        there is no pod shop/web in PODS; did you mean shop/web-f9fd99689-6kxdn, or WEB?
                    --cluster PODS web-f9fd99689-7zzzz     | \
                        there is no pod default/web-f9fd99689-7zzzz in PODS; did you mean WEB?
                    --cluster absent.json shop/a           | absent.json: no such file
                    --cluster DIRECTORY shop/a             | DIRECTORY: Is a directory
                    --cluster CLUSTER --pod DIRECTORY      | DIRECTORY: Is a directory
                    --cluster CLUSTER --scheduler-config DIRECTORY shop/a       | DIRECTORY: Is a directory
                    --server localhost:1 --token-file DIRECTORY shop/a          | --token-file DIRECTORY: Is a directory
                    --server localhost:1 --ca DIRECTORY shop/a                  | \
                        --ca, --cert and --key: Is a directory
                    --cluster CUT shop/a                                        | \
                        CUT, line 1, column 10: the input is truncated, after 0 objects
                    --cluster CLUSTER --scheduler-config CUT shop/a             | \
                        CUT, line 1, column 10: the input is truncated, after 0 objects
                    --cluster CLUSTER --pod CLUSTER                             | \
                        CLUSTER: no workload found: expected one of KINDS; found only 2 Node
                    --cluster CLUSTER --pod INVALID                             | \
                        maxSkew must be at least 1, was 0 (pod.spec.topologySpreadConstraints[0].maxSkew)
                    """)
    void problem_isReportedInOneLine(String arguments, String line) throws IOException {
        assertFails(arguments, line);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --cluster CLUSTER                                | \
                        Missing required argument (specify one of these): (SUBJECT)
                    shop/a                                           | \
                        no cluster given: use --cluster=FILE, --kube or --server=HOST:PORT
                    --cluster CLUSTER a/b/c                          | \
                        the pod must be named as NAME or NAMESPACE/NAME, or the workload as KIND/NAME, was 'a/b/c'
                    --cluster CLUSTER -n b a/b                       | \
                        the pod and --namespace must name the same namespace, was 'a/b' with --namespace b
                    --cluster CLUSTER --workload Job/a a/b           | --workload needs --pod
                    --cluster CLUSTER --pod INVALID --workload a     | --workload must be KIND/NAME, was 'a'
                    --cluter CLUSTER a/b                             | \
                        Unknown options: '--cluter', 'a/b'; did you mean --cluster?
                    --cluster CLUSTER --row=3 a/b                    | Unknown option: '--row=3'; did you mean --rows?
                    --cluster - --cluster - a/b                      | standard input can be read only once
                    --cluster CLUSTER --rows 0 a/b                   | --rows must be at least 1, was 0
                    """)
    void wrongUsage_isReportedInOneLine_whichNamesTheHelp(String arguments, String line) throws IOException {
        assertFails(arguments, line + " (see evenkeel explain --help)");
    }

    /** Words in upper case are replaced by files and by texts that would be too long. */
    private void assertFails(String arguments, String line) throws IOException {
        Map<String, String> meanings = Map.of(
                "CLUSTER",
                file("cluster.yaml", NODES).toString(),
                "PODS",
                file("pods.yaml", NODES + """
                        - {kind: Pod, apiVersion: v1, metadata: {name: web-f9fd99689-6kxdn, namespace: shop, uid: p}}
                        - {kind: Pod, apiVersion: v1, metadata: {name: web-f9fd99689-7zzzz, namespace: shop, uid: q}}
                        - {kind: Pod, apiVersion: v1, metadata: {name: db, namespace: shop, uid: r}}
                        """).toString(),
                "CUT",
                file("cut.json", "{\"kind\": \"").toString(),
                "INVALID",
                file("invalid.yaml", """
                        kind: Pod
                        spec:
                          topologySpreadConstraints:
                          - {maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
                        """).toString(),
                "DIRECTORY",
                directory.toString(),
                "WEB",
                "shop/web-f9fd99689-7zzzz",
                "SUBJECT",
                "[NAMESPACE/][KIND/]NAME | --pod=FILE",
                "KINDS",
                "Pod, CronJob, DaemonSet, Deployment, Job, PodTemplate, ReplicaSet, ReplicationController,"
                        + " StatefulSet");
        String typed = arguments;
        String expected = line;
        for (Map.Entry<String, String> each : meanings.entrySet()) {
            typed = typed.replace(each.getKey(), each.getValue());
            expected = expected.replace(each.getKey(), each.getValue());
        }
        Run run = Run.of(("explain " + typed).split(" "));
        assertEquals("evenkeel explain: " + expected, withoutWarnings(run));
        assertEquals(2, run.exitCode());
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
