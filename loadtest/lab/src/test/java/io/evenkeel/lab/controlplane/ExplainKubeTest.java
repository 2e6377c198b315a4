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
