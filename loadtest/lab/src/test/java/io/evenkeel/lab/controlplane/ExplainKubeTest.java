package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Explains pods of a real API server, and of kubectl's output from it. */
@Tag("kube")
final class ExplainKubeTest {
    private static final Path README = Path.of("../../server/kube/README.md");
    private static final String ACCOUNT = "reader";

    private static final List<String> REASONS = List.of(
            "1 Insufficient cpu",
            "1 Too many pods",
            "1 node(s) didn't have free ports for the requested pod ports",
            "1 node(s) didn't match Pod's node affinity/selector",
            "1 node(s) didn't match pod topology spread constraints",
            "1 node(s) had untolerated taint",
            "1 node(s) were unschedulable");

    /** Each node is excluded for the reason that it is named after. */
    private static final String NODES = node("small", "ssd", "cpu: \"1\", pods: \"10\"", "")
            + node("full", "ssd", "cpu: \"4\", pods: \"1\"", "")
            + node("port", "ssd", "cpu: \"4\", pods: \"10\"", "")
            + node("hdd", "hdd", "cpu: \"4\", pods: \"10\"", "")
            + node("crowded", "ssd", "cpu: \"4\", pods: \"10\"", "")
            + node("tainted", "ssd", "cpu: \"4\", pods: \"10\"", "taints: [{key: own, effect: NoSchedule}]")
            + node("cordoned", "ssd", "cpu: \"4\", pods: \"10\"", "unschedulable: true");

    private static final String PODS = pod("filler", "nodeName: full", "db", "")
            + pod("server", "nodeName: port", "db", "ports: [{hostPort: 8080, containerPort: 8080}]")
            + pod("web-1", "nodeName: crowded", "web", "")
            + pod(
                    "stuck",
                    """
                    nodeSelector: {disk: ssd}
                      topologySpreadConstraints:
                      - maxSkew: 1
                        topologyKey: topology.kubernetes.io/zone
                        whenUnsatisfiable: DoNotSchedule
                        labelSelector: {matchLabels: {app: web}}""",
                    "web",
                    "ports: [{hostPort: 8080, containerPort: 8080}], resources: {requests: {cpu: \"2\"}}");

    private static String node(String name, String disk, String allocatable, String spec) {
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %1$s, labels: {disk: %2$s, topology.kubernetes.io/zone: %1$s}}
                spec: {%4$s}
                status: {allocatable: {%3$s}, capacity: {%3$s}}
                """.formatted(name, disk, allocatable, spec);
    }

    private static String pod(String name, String spec, String app, String container) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: shop, labels: {app: %s}}
                spec:
                  containers: [{name: c, image: c, %s}]
                  %s
                """.formatted(name, app, container, spec);
    }

    @Test
    void explain_isTheSame_byTheDocumentedRightsAlone_andFromADump(@TempDir Path directory)
            throws IOException, InterruptedException {
        ClusterGenerator cluster = new ClusterGenerator(ClusterShape.of(1, 20, 600));
        try (ControlPlane plane = ControlPlane.start(Files.createDirectory(directory.resolve("plane")))) {
            ApiServer server = plane.client();
            ControlPlaneFill.fill(server, cluster);
            Path dump = Files.writeString(
                    directory.resolve("cluster.json"),
                    plane.kubectl(
                            "get",
                            "nodes,pods,services,replicationcontrollers,replicasets,statefulsets",
                            "-A",
                            "-o",
                            "json"));
            Map<String, String> podOfNamespace = new LinkedHashMap<>();
            server.list(ObjectKind.POD).forEach(object -> {
                Pod pod = (Pod) object;
                podOfNamespace.put(
                        pod.getMetadata().getNamespace(), pod.getMetadata().getName());
            });
            assertTrue(podOfNamespace.size() > 1, podOfNamespace::toString);
            List<String> namespaces = List.copyOf(podOfNamespace.keySet());
            String readable = namespaces.get(0);
            Path kubeconfig = readerOf(plane, readable, directory);
            String pod = readable + "/" + podOfNamespace.get(readable);
            for (String output : List.of("text", "json")) {
                String fromDump = explain(0, directory, "--cluster=" + dump, "-o", output, pod);
                assertEquals(
                        fromDump, explain(0, directory, "--kube", "--kubeconfig=" + kubeconfig, "-o", output, pod));
                assertTrue(fromDump.contains("20"), fromDump);
            }
            String elsewhere = namespaces.get(1);
            String other = elsewhere + "/" + podOfNamespace.get(elsewhere);
            String refused = explain(2, directory, "--kube", "--kubeconfig=" + kubeconfig, other);
            assertTrue(
                    refused.endsWith("; grant list on services in namespace " + elsewhere + " with a Role\n"), refused);
            assertEquals(1, refused.lines().count(), refused);
            assertEquals(
                    explain(0, directory, "--cluster=" + dump, other),
                    explain(
                            0,
                            directory,
                            "--kube",
                            "--kubeconfig=" + plane.kubeconfig(),
                            "--context=certificate",
                            other));
        }
    }

    @Test
    void sentence_isThatOfKubeSchedulersEvent_forEachReason(@TempDir Path directory)
            throws IOException, InterruptedException {
        try (ControlPlane plane =
                ControlPlane.start(Files.createDirectory(directory.resolve("plane")), ControlPlane.Program.SCHEDULER)) {
            Path nodes = Files.writeString(directory.resolve("nodes.yaml"), NODES);
            Path pods = Files.writeString(directory.resolve("pods.yaml"), PODS);
            plane.kubectl("create", "namespace", "shop");
            plane.kubectl("create", "-f", nodes.toString());
            plane.kubectl("create", "-f", pods.toString());
            plane.kubectl("wait", "pod/stuck", "-n", "shop", "--for=condition=PodScheduled=False", "--timeout=120s");
            String event = plane.kubectl(
                    "get",
                    "pod/stuck",
                    "-n",
                    "shop",
                    "-o",
                    "jsonpath={.status.conditions[?(@.type=='PodScheduled')].message}");
            String explained = explain(0, directory, "--kube", "--kubeconfig=" + plane.kubeconfig(), "shop/stuck");
            String sentence = explained.lines().toList().get(1);
            for (String reason : REASONS) {
                assertTrue(event.contains(reason), event);
            }
            assertTrue(event.startsWith(sentence + " "), event + "\n" + explained);
            assertTrue(event.substring(sentence.length()).contains("preemption: "), event);

            plane.kubectl("create", "-f", claims(directory).toString());
            String claiming = explain(0, directory, "--kube", "--kubeconfig=" + plane.kubeconfig(), "shop/claiming");
            assertTrue(claiming.contains("not judged: volumes; "), claiming);
            assertTrue(
                    claiming.replaceAll("\\s+", " ")
                            .contains("The claim data is bound to the volume pv, which only nodes with"
                                    + " topology.kubernetes.io/zone=crowded can use."),
                    claiming);

            plane.kubectl("create", "deployment", "api", "--image=api", "-n", "shop");
            String next = explain(0, directory, "--kube", "--kubeconfig=" + plane.kubeconfig(), "shop/Deployment/api");
            assertTrue(
                    next.startsWith("Pod shop/api-* (from the template of a Deployment, of its next revision)"), next);
        }
    }

    private static Path claims(Path directory) throws IOException {
        return Files.writeString(directory.resolve("claims.yaml"), """
                apiVersion: v1
                kind: PersistentVolume
                metadata: {name: pv}
                spec:
                  capacity: {storage: 1Gi}
                  accessModes: [ReadWriteOnce]
                  hostPath: {path: /data}
                  claimRef: {namespace: shop, name: data}
                  nodeAffinity:
                    required:
                      nodeSelectorTerms:
                      - matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [crowded]}]
                ---
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: data, namespace: shop}
                spec:
                  accessModes: [ReadWriteOnce]
                  resources: {requests: {storage: 1Gi}}
                  volumeName: pv
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: claiming, namespace: shop}
                spec:
                  containers: [{name: web, image: web}]
                  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
                """);
    }

    /** A kubeconfig of an account with exactly the permissions that the README lists. */
    private static Path readerOf(ControlPlane plane, String namespace, Path directory)
            throws IOException, InterruptedException {
        String readme = Files.readString(README);
        int begin = readme.indexOf("```yaml\n", readme.indexOf("## Asking once")) + "```yaml\n".length();
        Path rights = Files.writeString(
                directory.resolve("rights.yaml"),
                readme.substring(begin, readme.indexOf("```", begin)).replace("shop", namespace));
        plane.kubectl("apply", "--validate=strict", "-f", rights.toString());
        plane.kubectl("create", "serviceaccount", ACCOUNT, "-n", namespace);
        String account = "--serviceaccount=" + namespace + ":" + ACCOUNT;
        plane.kubectl("create", "clusterrolebinding", "nodes", "--clusterrole=evenkeel-explain", account);
        plane.kubectl("create", "rolebinding", "explain", "--role=evenkeel-explain", "-n", namespace, account);
        Path token = Files.writeString(
                directory.resolve("token"),
                plane.kubectl("create", "token", ACCOUNT, "-n", namespace).strip());
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts: [{name: here, context: {cluster: here, user: reader}}]
                clusters: [{name: here, cluster: {server: "%s", certificate-authority: "%s"}}]
                users: [{name: reader, user: {tokenFile: "%s"}}]
                """.formatted(
                        plane.apiServer(), plane.directory().resolve("ca.crt"), token));
    }

    /** Runs the command in a separate process. Returns its output, or its standard error if it must fail. */
    private static String explain(int exitCode, Path directory, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.evenkeel.commands.Evenkeel",
                "explain"));
        command.addAll(Arrays.asList(arguments));
        Path errors = directory.resolve("errors");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(exitCode, process.waitFor(), () -> output + read(errors));
        return exitCode == 0 ? output : read(errors);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
