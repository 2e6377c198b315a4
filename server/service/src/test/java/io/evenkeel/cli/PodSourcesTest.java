package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.evenkeel.access.AccessOptions;
import io.evenkeel.access.TestAuthority;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.manifest.RealCluster;
import io.evenkeel.objects.RealFiles;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.Listener;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Asks about pods of one real cluster in files, behind an API server, and in a running server. For each namespace there
 * is a second one with the same workloads on other nodes, which is not read from the API server.
 */
final class PodSourcesTest {
    private static final String PENDING = "shop/stuck-zone-89f4fcf4d-rb6g2";
    private static final String TWIN = "twin-of-";

    @TempDir
    private static Path directory = Path.of("");

    private static List<Path> files = List.of();

    @SuppressWarnings("NullAway.Init")
    private static ScriptedApiServer api;

    @SuppressWarnings("NullAway.Init")
    private static EvenkeelServer server;

    private static Path kubeconfig = Path.of("");

    @BeforeAll
    static void start() throws IOException {
        files = List.of(
                RealClusterFile.write(directory, "cluster.json", object -> true, RealClusterFile::withoutConditions),
                RealClusterFile.write(
                        directory,
                        "twins.json",
                        object -> !RealClusterFile.kind(object).equals("Node"),
                        PodSourcesTest::twin));
        server = EvenkeelServer.start(ServerOptions.onLoopback(0));
        new ClusterInput(ClusterOptions.Needs.everyPod(null, object -> {}), warning -> {}, summary -> {})
                .read(
                        files.stream().map(Path::toString).toList(),
                        server.instance().clusterState());
        api = ScriptedApiServer.start();
        kubeconfig = api.kubeconfig(directory, "", "");
        for (Path file : files) {
            try (InputStream input = Files.newInputStream(file);
                    ObjectReader reader = ObjectReader.of(input, file.toString())) {
                for (Message object = reader.next(); object != null; object = reader.next()) {
                    put(object);
                }
            }
        }
    }

    /** The same object in another namespace, and a pod on another node. */
    private static Struct twin(Struct object) {
        Struct metadata = object.getFieldsOrThrow("metadata").getStructValue();
        Struct.Builder moved = metadata.toBuilder();
        for (String field : List.of("namespace", "uid")) {
            moved.putFields(field, text(TWIN + metadata.getFieldsOrThrow(field).getStringValue()));
        }
        Struct.Builder twin = object.toBuilder()
                .putFields("metadata", Value.newBuilder().setStructValue(moved).build());
        Value spec = object.getFieldsOrDefault("spec", Value.getDefaultInstance());
        if (spec.getStructValue().containsFields("nodeName")) {
            twin.putFields(
                    "spec",
                    Value.newBuilder()
                            .setStructValue(spec.getStructValue().toBuilder().putFields("nodeName", text("worker-b2")))
                            .build());
        }
        return twin.build();
    }

    private static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    private static void put(Message object) {
        if (object instanceof Node node) {
            put(ObjectKind.NODE, node.getMetadata(), object);
        } else if (object instanceof Pod pod) {
            put(ObjectKind.POD, pod.getMetadata(), object);
        } else if (object instanceof Service service) {
            put(ObjectKind.SERVICE, service.getMetadata(), object);
        } else if (object instanceof ReplicationController controller) {
            put(ObjectKind.REPLICATION_CONTROLLER, controller.getMetadata(), object);
        } else if (object instanceof ReplicaSet set) {
            put(ObjectKind.REPLICA_SET, set.getMetadata(), object);
        } else if (object instanceof StatefulSet set) {
            put(ObjectKind.STATEFUL_SET, set.getMetadata(), object);
        }
    }

    private static void put(ObjectKind kind, ObjectMeta metadata, Message object) {
        api.put(kind, metadata.getUid(), object.toByteArray());
    }

    @AfterAll
    static void stop() {
        api.close();
        server.close();
    }

    private static List<String> inFiles() {
        return List.of("--cluster=" + files.get(0), "--cluster=" + files.get(1));
    }

    private static List<String> behindApiServer() {
        return List.of("--kube", "--kubeconfig=" + kubeconfig);
    }

    private static List<String> inServer() {
        return List.of("--server=127.0.0.1:" + server.port());
    }

    private static Run run(List<String> source, String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(source);
        return Run.of(all.toArray(new String[0]));
    }

    /** The run without the warning about pods of other namespaces, which not every source shows. */
    private static Run comparable(Run run) {
        String others = run.err()
                .lines()
                .filter(line -> !line.contains("no pod in the namespace"))
                .map(line -> line + System.lineSeparator())
                .collect(Collectors.joining());
        return new Run(run.exitCode(), run.out(), others);
    }

    private static String assertSame(String... arguments) {
        Run expected = comparable(run(inFiles(), arguments));
        assertEquals(0, expected.exitCode(), expected::err);
        assertEquals(expected, comparable(run(behindApiServer(), arguments)));
        assertEquals(expected, comparable(run(inServer(), arguments)));
        return expected.out();
    }

    @Test
    @Tag("long")
    void podsOfTheCluster_areAnsweredTheSame_byteByByte() throws IOException {
        int pods = 0;
        for (Message object : RealCluster.objects("cluster.json.gz")) {
            if (object instanceof Pod pod) {
                String name = pod.getMetadata().getNamespace() + "/"
                        + pod.getMetadata().getName();
                assertSame("explain", name);
                String[][] others = {
                    {"explain", "-o", "json", name},
                    {"place", "-o", "json", name},
                    {"place", "--defaults", "none", "--rows", "3", name},
                };
                if (++pods % others.length == 0) {
                    assertSame(others[pods / others.length % others.length]);
                }
            }
        }
        assertEquals(57, pods);
    }

    @Test
    @Tag("long")
    void workloadsOfAFile_areAnsweredTheSame_byteByByte() throws IOException {
        Path manifests = directory.resolve("manifests.json.gz");
        Files.write(manifests, RealFiles.read("cluster.json.gz"));
        Set<String> kinds = new TreeSet<>();
        int byDefaults = 0;
        for (PodManifest manifest :
                PodManifest.readAll(Files.newInputStream(manifests), manifests.toString(), hint -> {})) {
            if (manifest.kind().equals("Pod") && kinds.contains("Pod")) {
                continue;
            }
            kinds.add(manifest.kind());
            String answer = assertSame(
                    "explain",
                    "--pod=" + manifests,
                    "--workload=" + manifest.title(),
                    "--namespace=" + manifest.pod().getMetadata().getNamespace());
            byDefaults += answer.contains("these are the cluster-level defaults") ? 1 : 0;
        }
        assertTrue(kinds.containsAll(List.of("Pod", "Deployment", "ReplicaSet", "StatefulSet")), kinds::toString);
        assertTrue(byDefaults > 1, byDefaults + " by defaults");
    }

    @Test
    void apiServer_isAskedForTheNodesAndTheNamespace_andNothingElse() throws IOException {
        try (ScriptedApiServer small = ScriptedApiServer.start()) {
            small.put(
                    ObjectKind.POD,
                    "p",
                    Pod.newBuilder()
                            .setMetadata(ObjectMeta.newBuilder()
                                    .setNamespace("shop")
                                    .setName("p")
                                    .setUid("p")
                                    .setResourceVersion("7"))
                            .build()
                            .toByteArray());
            Path own = Files.createDirectory(directory.resolve("small"));
            // The namespace is that of the context.
            Run run = Run.of("explain", "--kube", "--kubeconfig=" + small.kubeconfig(own, "", ""), "p");
            assertEquals(0, run.exitCode(), run::err);
            assertEquals("Pod shop/p (Pending)", run.lines().get(0));
            assertEquals(
                    List.of(
                            "GET /api/v1/nodes?limit=2000",
                            "GET /api/v1/pods?limit=2000",
                            "GET /api/v1/namespaces/shop/services?limit=2000",
                            "GET /api/v1/namespaces/shop/replicationcontrollers?limit=2000",
                            "GET /apis/apps/v1/namespaces/shop/replicasets?limit=2000",
                            "GET /apis/apps/v1/namespaces/shop/statefulsets?limit=2000"),
                    small.asked());
            assertEquals(
                    0,
                    Run.of(
                                    "explain",
                                    "--rules=enterable",
                                    "--kube",
                                    "--kubeconfig=" + small.kubeconfig(own, "", ""),
                                    "p")
                            .exitCode());
            assertTrue(small.asked().contains("GET /api/v1/namespaces/shop/pods?limit=2000"));
        }
    }

    @Test
    void workloadInAnInputThatCanBeReadOnlyOnce_isNotLookedFor() {
        Run run = run(List.of("--cluster=/dev/null"), "explain", "Deployment/web");
        assertEquals(ExitCodes.NOT_DONE, run.exitCode());
        assertTrue(
                run.err().contains("a workload is found by its name only in regular files of --cluster, was"),
                run::err);
    }

    /** Fields that are unknown here may be those of a newer API server. */
    @Test
    void workloadBehindAnApiServer_isFoundByKindAndName() throws IOException {
        try (ScriptedApiServer small = ScriptedApiServer.start()) {
            String template = "\"template\": {\"metadata\": {\"labels\": {%s\"app\": \"web\"}},"
                    + " \"spec\": {\"imag\": 1, \"containers\": [{\"name\": \"web\"}]}}";
            small.putJson("/apis/apps/v1/namespaces/shop/deployments/web", """
                    {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "web", "namespace": "shop"},
                     "spec": {%s}}""".formatted(template.formatted("")));
            small.putJson("/apis/apps/v1/namespaces/shop/replicasets", """
                    {"kind": "ReplicaSetList", "apiVersion": "apps/v1", "items": [
                     {"metadata": {"name": "web-5d", "namespace": "shop"}, "spec": {%s}}]}""".formatted(
                            template.formatted("\"pod-template-hash\": \"5d\", ")));
            Path own = Files.createDirectory(directory.resolve("workloads"));
            Run run = Run.of("explain", "--kube", "--kubeconfig=" + small.kubeconfig(own, "", ""), "Deployment/web");
            assertEquals("", run.err());
            assertEquals(
                    "Pod shop/web-* (from the template of a Deployment)",
                    run.lines().get(0));
        }
    }

    @Test
    void workloadThatTheApiServerDoesNotHave_isReported() throws IOException {
        try (ScriptedApiServer small = ScriptedApiServer.start()) {
            Path own = Files.createDirectory(directory.resolve("others"));
            List<String> source = List.of("--kube", "--kubeconfig=" + small.kubeconfig(own, "", ""));
            Run missing = run(source, "explain", "shop/Job/import");
            assertEquals(ExitCodes.NOT_DONE, missing.exitCode());
            assertTrue(missing.err().contains("404"), missing::err);
            assertTrue(missing.err().contains("/apis/batch/v1/namespaces/shop/jobs/import"), missing::err);
            small.putJson(
                    "/apis/apps/v1/namespaces/shop/deployments/odd", "{\"kind\": \"Status\", \"apiVersion\": \"v1\"}");
            Run odd = run(source, "explain", "Deployment/odd");
            assertEquals("evenkeel explain: --kube: " + small.url() + " sent no Deployment\n", odd.err());
            Run custom = run(source, "explain", "Rollout/web");
            assertTrue(
                    custom.err().contains("a Rollout is found by its name only in regular files of --cluster"),
                    custom::err);
        }
    }

    @Test
    void workload_isNotLookedForInAServer() {
        Run run = run(inServer(), "explain", "Deployment/web");
        assertTrue(run.err().contains("`kubectl get deployment/web -n default -o yaml > pod.yaml`"), run::err);
    }

    @Test
    void withoutNode_isAnsweredTheSame_butNotByAServer() {
        String[] question = {"explain", "--without-node=worker-b2", PENDING};
        Run run = run(behindApiServer(), question);
        assertEquals(run(inFiles(), question).out(), run.out());
        assertTrue(run.lines().get(1).startsWith("0/18 "), run::out);
        assertEquals(
                "evenkeel explain: --without-node needs --cluster or --kube: a server judges the nodes that it has\n",
                run(inServer(), question).err());
    }

    /** The pods of other namespaces are then not read from an API server. */
    @Test
    void withTheRulesOfEnterableNodes_noNodeIsCalledAvailable() {
        String[] question = {"place", "--rules=enterable", "-o=json", "data/cache-6c56bc7d6c-4lpml"};
        for (List<String> source : List.of(inFiles(), behindApiServer(), inServer())) {
            Run run = run(source, question);
            assertFalse(run.out().contains("available"), run::out);
            assertEquals(
                    source.contains("--kube"), run.out().contains("UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS"), run::out);
        }
    }

    @Test
    void lists_areReadInPages_andInOnePieceIfAPageIsTooOld() {
        Run expected = run(behindApiServer(), "explain", PENDING);
        api.setPageSize(5);
        try {
            assertEquals(expected, run(behindApiServer(), "explain", PENDING));
            api.expirePages(1);
            assertEquals(expected, run(behindApiServer(), "explain", PENDING));
            assertTrue(api.asked().contains("GET /api/v1/nodes"));
        } finally {
            api.setPageSize(Integer.MAX_VALUE);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    403 | {"message":"pods is forbidden"} | 403: pods is forbidden | \
                        grant list on pods with a ClusterRole
                    401 | {"message":"Unauthorized"}      | 401: Unauthorized      | \
                        the token or certificate of the kubeconfig or service account is invalid or expired
                    404 | ''                              | 404                    | \
                        the server has no resource at /api/v1/pods
                    503 | starting                        | 503: starting          |
                    """)
    void refusalOfTheApiServer_isReportedInOneLine(int status, String body, String why, @Nullable String advice) {
        api.refuse(ObjectKind.POD, new ScriptedApiServer.Refusal(status, body, null));
        Run run = run(behindApiServer(), "explain", PENDING);
        String expected = advice == null ? why : why + "; " + advice;
        assertEquals("evenkeel explain: --kube: " + api.url() + " returned " + expected + "\n", run.err());
        assertEquals(ExitCodes.NOT_DONE, run.exitCode());
        assertEquals("", run.out());
    }

    @Test
    void rightOfTheNodes_isAClusterRoles() {
        api.refuse(ObjectKind.NODE, new ScriptedApiServer.Refusal(403, "{\"message\":\"no\"}", null));
        Run run = run(behindApiServer(), "explain", PENDING);
        assertTrue(run.err().endsWith("returned 403: no; grant list on nodes with a ClusterRole\n"), run::err);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --kube --kubeconfig KUBECONFIG shop/stuck-zone-89f4fcf4d-rb6g       | \
                        there is no pod shop/stuck-zone-89f4fcf4d-rb6g in URL; did you mean PENDING?
                    --kube --kubeconfig KUBECONFIG nowhere/web                          | \
                        there is no pod nowhere/web in URL
                    --cluster CLUSTERFILE deployments/web                               | \
                        there is no pod deployments/web in CLUSTERFILE; did you mean the workload Deployment/web?
                    --kube --kubeconfig KUBECONFIG --context there shop/a               | \
                        --kube: KUBECONFIG has no context there; it has here
                    --kube --kubeconfig absent shop/a                                   | \
                        --kube: kubeconfig absent does not exist or is not readable
                    --server SERVER shop/nobody                                         | \
                        there is no pod shop/nobody in the cluster of SERVER
                    --server SERVER --token-file absent shop/a                          | absent: no such file
                    --server SERVER --token-file CLUSTERFILE shop/a                     | \
                        --token-file CLUSTERFILE must contain one token, in ASCII and without spaces
                    --server SERVER --ca CLUSTERFILE shop/a                             | \
                        --ca, --cert and --key: CLUSTERFILE contains no PEM certificates
                    --server CLOSED shop/a                                              | \
                        --server CLOSED: connection refused by CLOSED; check that `evenkeel serve` LISTENS
                    """)
    void problem_isReportedInOneLine(String arguments, String line) throws IOException {
        assertFails(arguments, line);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --context here --cluster CLUSTERFILE shop/a                         | \
                        --kubeconfig and --context need --kube
                    --kube --kubeconfig KUBECONFIG --cluster CLUSTERFILE shop/a         | \
                        --cluster and --kube cannot be combined: give one cluster
                    --kube --server SERVER --cluster CLUSTERFILE shop/a                 | \
                        --cluster and --kube and --server cannot be combined: give one cluster
                    shop/a                                                              | \
                        no cluster given: use --cluster=FILE, --kube or --server=HOST:PORT
                    --server nothing shop/a                                             | \
                        --server must be HOST:PORT or unix:PATH, was 'nothing'
                    --server SERVER --cert c shop/a           | --cert and --key must be given together
                    --server SERVER --cert c --key k shop/a   | --cert and --key need --ca
                    --server 192.0.2.1:7450 --token-file t shop/a                       | \
                        --token-file needs --ca: without TLS, ANYONE to 192.0.2.1:7450 could read the token
                    --server 127.1:7450 --token-file t shop/a                           | \
                        --token-file needs --ca: without TLS, ANYONE to 127.1:7450 could read the token
                    --server SERVER --scheduler-config c shop/a                         | \
                        --scheduler-config cannot be combined with --server: start the server with it instead
                    --cluster CLUSTERFILE --ca c shop/a                                 | \
                        --ca, --cert, --key and --token-file need --server
                    """)
    void wrongUsage_isReportedInOneLine_whichNamesTheHelp(String arguments, String line) throws IOException {
        assertFails(arguments, line + " (see evenkeel explain --help)");
    }

    /** Words in upper case are replaced by what differs between runs, and by texts that would be too long. */
    private static void assertFails(String arguments, String line) throws IOException {
        String closed;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = "127.0.0.1:" + free.getLocalPort();
        }
        Map<String, String> names = Map.of(
                "KUBECONFIG",
                kubeconfig.toString(),
                "CLUSTERFILE",
                files.get(0).toString(),
                "SERVER",
                "127.0.0.1:" + server.port(),
                "URL",
                api.url(),
                "CLOSED",
                closed,
                "PENDING",
                PENDING,
                "ANYONE",
                "anyone on the network path",
                "LISTENS",
                "listens there, and give --ca if it uses TLS");
        String typed = "explain " + arguments;
        String expected = line;
        for (Map.Entry<String, String> name : names.entrySet()) {
            typed = typed.replace(name.getKey(), name.getValue());
            expected = expected.replace(name.getKey(), name.getValue());
        }
        Run run = Run.of(typed.split(" "));
        assertEquals("evenkeel explain: " + expected + "\n", run.err());
        assertEquals(ExitCodes.NOT_DONE, run.exitCode());
        assertEquals("", run.out());
    }

    @Test
    void apiServerThatIsNotThere_isReportedInOneLine() throws IOException {
        ScriptedApiServer gone = ScriptedApiServer.start();
        Path own = gone.kubeconfig(Files.createDirectory(directory.resolve("gone")), "", "");
        gone.close();
        Run run = Run.of("explain", "--kube", "--kubeconfig=" + own, "shop/a");
        assertTrue(run.err().startsWith("evenkeel explain: --kube: no connection to " + gone.url() + ": "), run::err);
        assertEquals(1, run.err().lines().count(), run::err);
        assertEquals(ExitCodes.NOT_DONE, run.exitCode());
    }

    /** Over TLS with a certificate, and over a socket with a token. */
    @Test
    void guardedServer_letsInWhoShowsCredentials() throws IOException {
        TestAuthority authority = new TestAuthority("authority");
        TestAuthority.Issued own = authority.issue("server", "127.0.0.1");
        TestAuthority.Issued client = authority.issue("client");
        Path guarded = Files.createDirectory(directory.resolve("guarded"));
        Path ca = Files.writeString(guarded.resolve("ca.crt"), authority.pem());
        Path cert = Files.writeString(guarded.resolve("client.crt"), client.certificatePem());
        Path key = Files.writeString(guarded.resolve("client.key"), client.keyPem());
        Path token = Files.writeString(guarded.resolve("token"), "secret-token-of-tests-0123456789\n");
        Path tokens = Files.writeString(guarded.resolve("tokens"), "me " + Files.readString(token));
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        Path socket = guarded.resolve("s");
        AccessOptions access = new AccessOptions(
                Files.writeString(guarded.resolve("server.crt"), own.certificatePem()),
                Files.writeString(guarded.resolve("server.key"), own.keyPem()),
                ca,
                tokens,
                null);
        ServerOptions options = ServerOptions.onLoopback(0);
        List<Listener> listeners = new ArrayList<>(options.listeners());
        listeners.add(new ListenerText().convert("unix:" + socket));
        try (EvenkeelServer closed =
                EvenkeelServer.start(options.withAccess(access).withListeners(listeners.toArray(new Listener[0])))) {
            new ClusterInput(ClusterOptions.Needs.everyPod(null, object -> {}), warning -> {}, summary -> {})
                    .read(
                            files.stream().map(Path::toString).toList(),
                            closed.instance().clusterState());
            String address = "--server=127.0.0.1:" + closed.port();
            Run expected = run(inFiles(), "explain", PENDING);
            assertEquals(expected, Run.of("explain", address, "--ca=" + ca, "--cert=" + cert, "--key=" + key, PENDING));
            assertEquals(expected, Run.of("explain", address, "--ca=" + ca, "--token-file=" + token, PENDING));
            assertEquals(expected, Run.of("explain", "--server=unix:" + socket, "--token-file=" + token, PENDING));
            Run unknown = Run.of("explain", address, "--ca=" + ca, PENDING);
            assertTrue(unknown.err().endsWith("; give --token-file, or --cert and --key\n"), unknown::err);
            assertEquals(ExitCodes.NOT_DONE, unknown.exitCode());
            Run inTheClear = Run.of("explain", address, PENDING);
            assertTrue(inTheClear.err().endsWith("give --ca if it uses TLS\n"), inTheClear::err);
            assertEquals(1, inTheClear.err().lines().count(), inTheClear::err);
        }
    }
}
