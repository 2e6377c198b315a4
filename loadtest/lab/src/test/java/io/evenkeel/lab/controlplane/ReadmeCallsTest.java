package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.local.Checkout;
import io.evenkeel.loadtest.local.ServerUnderTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the README's grpcurl and ghz commands with the real programs, against a server with TLS and a socket, and
 * against an open one. Replaces addresses, paths and the number of calls.
 */
@Tag("kube")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReadmeCallsTest {
    private static final String GRPCURL = "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3";
    private static final String TOKEN = "token-of-tests-0123456789";
    /** A command. Quoted texts and escaped line ends may continue on the next line. */
    private static final Pattern COMMAND = Pattern.compile("(?m)^(grpcurl|ghz) (?:[^\\n'\\\\]|'[^']*'|\\\\\\n)+");

    /** The command that sends kubectl's output. */
    private static final Pattern PIPED = Pattern.compile("(?m)^(printf [^\\n]+\\n +grpcurl [^\\n]+)$");

    private static final Pattern GHZ_VERSION = Pattern.compile("(?m)^ghz_version=(\\S+)$");
    private static final String CLUSTER = """
            {"kind": "List", "apiVersion": "v1", "items": [
              {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a", "uid": "uid-a", "labels":
                {"topology.kubernetes.io/zone": "z1", "kubernetes.io/hostname": "a"}}},
              {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "b", "uid": "uid-b", "labels":
                {"topology.kubernetes.io/zone": "z2", "kubernetes.io/hostname": "b"}}}]}
            """;

    private static final String OBJECTS = """
            {kind: Namespace, apiVersion: v1, metadata: {name: shop}}
            ---
            kind: Node
            apiVersion: v1
            metadata: {name: a, labels: {topology.kubernetes.io/zone: z1, kubernetes.io/hostname: a}}
            status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, capacity: {cpu: "4", memory: 8Gi, pods: "110"}}
            ---
            kind: Pod
            apiVersion: v1
            metadata: {name: web-1, namespace: shop, labels: {app: web}, annotations: {note: "a \\"quoted\\" text"}}
            spec:
              topologySpreadConstraints:
              - maxSkew: 1
                topologyKey: topology.kubernetes.io/zone
                whenUnsatisfiable: DoNotSchedule
                labelSelector: {matchLabels: {app: web}}
              containers:
              - name: web
                image: web
                ports: [{containerPort: 80, hostPort: 8080}]
                readinessProbe: {httpGet: {path: /, port: 80}}
                resources: {requests: {cpu: "2", memory: 1.5Gi}, limits: {memory: 2Gi}}
              volumes: [{name: scratch, emptyDir: {sizeLimit: 1Gi}}]
            """;

    @TempDir
    private Path directory = Path.of("");

    /** A command that was run, and all of its output. */
    private record Ended(String line, int code, String output) {
        void assertShows(String text) {
            assertEquals(0, code, this::toString);
            assertTrue(output.contains(text), this::toString);
        }
    }

    @Test
    void readmeLines_areAnswered_overTls_throughASocket_andWithNeither() throws Exception {
        Path loadtest = Checkout.loadtest("ghz/run");
        install(GRPCURL);
        install("github.com/bojand/ghz/cmd/ghz@"
                + onlyMatch(GHZ_VERSION, Files.readString(loadtest.resolve("ghz/run"))));
        List<String> lines = new ArrayList<>();
        String document = Files.readString(loadtest.resolve("../server/docs/grpcurl.md"));
        for (Matcher found = COMMAND.matcher(document); found.find(); ) {
            lines.add(found.group());
        }
        assertEquals(4, lines.size(), lines::toString);
        String evaluate = lines.get(0);
        String overTls = lines.get(1);
        String throughSocket = lines.get(2);
        String load = lines.get(3).replace("-n 20000", "-n 40");
        Path cluster = Files.writeString(directory.resolve("cluster.json"), CLUSTER);
        try (ServerUnderTest open = ServerUnderTest.serve("--cluster", cluster.toString())) {
            run(evaluate, open.target()).assertShows("\"best\"");
            run(load, open.target()).assertShows("[OK]   40 responses");
        }
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"));
                ServerUnderTest server = GuardedServer.start(
                        plane, socket(), TOKEN, "ask", directory, "--cluster", cluster.toString())) {
            for (String file : List.of("ca.crt", "admin.crt", "admin.key")) {
                Files.copy(plane.directory().resolve(file), directory.resolve(file));
            }
            String target = server.target();
            String token = "-H \"authorization: Bearer $TOKEN\"";
            run(overTls, target).assertShows("\"ready\": true");
            run(replaced(overTls, token, "-cert admin.crt -key admin.key"), target)
                    .assertShows("\"ready\": true");
            assertRefused(run(replaced(overTls, token, ""), target));
            run(throughSocket, target).assertShows("\"ready\": true");

            String trusting = replaced(load, "--insecure", "--cacert ca.crt");
            run(trusting + " --cert admin.crt --key admin.key", target).assertShows("[OK]   40 responses");
            String metadata = "'{\"authorization\": \"Bearer " + TOKEN + "\"}'";
            run(trusting + " --metadata " + metadata + " --reflect-metadata " + metadata, target)
                    .assertShows("[OK]   40 responses");
            assertRefused(run(trusting, target));
            run(replaced(load, "127.0.0.1:7450", "unix:///run/evenkeel.sock"), target)
                    .assertShows("[OK]   40 responses");
        }
    }

    @Test
    void podOfKubectl_isAnswered() throws Exception {
        install(GRPCURL);
        Path document = Checkout.loadtest("ghz/run").resolve("../server/docs/grpcurl.md");
        String command = onlyMatch(PIPED, Files.readString(document));
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"))) {
            plane.kubectl(
                    "create",
                    "-f",
                    Files.writeString(directory.resolve("objects.yaml"), OBJECTS)
                            .toString());
            Path cluster = Files.writeString(
                    directory.resolve("cluster.json"), plane.kubectl("get", "nodes,pods", "-A", "-o", "json"));
            String kubectl =
                    "export KUBECONFIG=" + plane.kubeconfig() + " PATH=" + ControlPlane.programs() + ":$PATH\n";
            try (ServerUnderTest open = ServerUnderTest.serve("--cluster", cluster.toString())) {
                Ended answered = run(kubectl + command, open.target());
                answered.assertShows("\"name\": \"a\"");
                String strict = replaced(command, "-allow-unknown-fields ", "");
                assertNotEquals(0, run(kubectl + strict, open.target()).code);
            }
        }
    }

    private static void assertRefused(Ended stranger) {
        assertNotEquals(0, stranger.code, stranger::toString);
        assertTrue(stranger.output.contains("Unauthenticated"), stranger::toString);
    }

    private static String onlyMatch(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        assertTrue(found.find(), pattern::toString);
        return found.group(1);
    }

    private static String replaced(String line, String old, String with) {
        assertTrue(line.contains(old), line);
        return line.replace(old, with);
    }

    private Path socket() {
        return directory.resolve("e.sock");
    }

    private void install(String program) throws Exception {
        Ended installed = shell("GOBIN='" + directory + "/bin' go install " + program);
        assertEquals(0, installed.code, installed::toString);
    }

    private Ended run(String line, String target) throws Exception {
        return shell(line.replace("HOST:7450", target)
                .replace("127.0.0.1:7450", target)
                .replace("/run/evenkeel.sock", socket().toString()));
    }

    private Ended shell(String line) throws Exception {
        Path output = Files.createTempFile(directory, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", line)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("TOKEN", TOKEN);
        builder.environment().merge("PATH", directory.resolve("bin").toString(), (path, bin) -> bin + ":" + path);
        Process process = builder.start();
        process.getOutputStream().close();
        try {
            return new Ended(line, process.waitFor(), Files.readString(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
