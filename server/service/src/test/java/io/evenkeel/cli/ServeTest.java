package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.evenkeel.access.TestAuthority;
import io.evenkeel.commands.Evenkeel;
import io.evenkeel.engine.Await;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.service.StopTimes;
import io.evenkeel.service.TransportLimits;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import io.evenkeel.v1.SimulationGrpc;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Tests the serve command: in a separate process if it serves, and in this one if it fails before. */
final class ServeTest {
    private static final int SIGTERM = 128 + 15;

    private static final Pattern LOG_LINE =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z (INFO|WARNING|SEVERE) .*");

    private static final Pattern OPTION = Pattern.compile("`(--[a-z-]+)`");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

    /**
     * The labels of metrics. Everyone can read them, so no label may contain a name from the cluster or of a caller.
     */
    private static final Set<String> LABELS = Set.of(
            "by",
            "kind",
            "le",
            "method",
            "methodType",
            "of",
            "outcome",
            "reason",
            "service",
            "statusCode",
            "type",
            "why");

    private static final String CLUSTER = Path.of("../placement/src/test/resources/real/cluster.json.gz")
            .toAbsolutePath()
            .toString();

    @TempDir
    private Path directory = Path.of("");

    @Test
    void server_reportsItsAddress_hasLoadedTheFiles_andStopsWhenSignalled() throws Exception {
        Process process = start("--listen", "127.0.0.1:0", "--cluster", CLUSTER);
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            String line = Objects.requireNonNull(out.readLine());
            assertTrue(line.matches("evenkeel listens on 127\\.0\\.0\\.1:\\d+"), line);
            GetStatusResponse status = status(line.substring(line.lastIndexOf(' ') + 1));
            assertTrue(status.getReady());
            assertEquals(19, status.getNodeCount());
            assertEquals(57, status.getPodCount());
            // Unlike Process.destroy, this leaves the streams open.
            assertTrue(process.toHandle().destroy());
            assertEquals(SIGTERM, process.waitFor());
            assertNull(out.readLine());
            List<String> said = err.lines().toList();
            assertEquals(1, said.size(), said.toString());
            assertTrue(said.get(0).endsWith(": loaded 90 objects, ignored 8 Deployment"), said.get(0));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void log_isJson_ifTheOptionSaysSo() throws Exception {
        Process process = start("--log-format", "json", "--listen", "0.0.0.0:0", "--insecure", "--cluster", CLUSTER);
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            assertNotNull(out.readLine());
            assertTrue(process.toHandle().destroy());
            List<JsonNode> lines = new ArrayList<>();
            for (String line : err.lines().toList()) {
                lines.add(new ObjectMapper().readTree(line));
            }
            assertEquals(
                    List.of("INFO", "WARNING"),
                    lines.stream().map(line -> line.path("level").asText()).toList());
            assertTrue(lines.get(0).path("message").asText().endsWith(": loaded 90 objects, ignored 8 Deployment"));
            assertTrue(lines.get(1).path("message").asText().startsWith("--insecure: "));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void budgetsOfFiles_areRespected_andTheirFieldsChecked() throws Exception {
        Path file = Files.writeString(directory.resolve("cluster.yaml"), """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Node, metadata: {name: a}}
                - {apiVersion: v1, kind: Node, metadata: {name: b}}
                - {apiVersion: v1, kind: Pod, metadata: {name: web, labels: {app: web}, ownerReferences:
                   [{apiVersion: apps/v1, kind: ReplicaSet, name: web, controller: true}]}, spec: {nodeName: a}}
                - {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web},
                   spec: {selector: {matchLabels: {app: web}}, minAvailabel: 1}, status: {disruptionsAllowed: 0}}
                - {apiVersion: example.com/v1, kind: PodDisruptionBudget, metadata: {name: other}}
                """);
        Process process = start("--listen", "127.0.0.1:0", "--cluster", file.toString());
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            String line = Objects.requireNonNull(out.readLine());
            ManagedChannel channel = channel(line.substring(line.lastIndexOf(' ') + 1));
            SimulateRemovalResponse response = SimulationGrpc.newBlockingStub(channel)
                    .simulateRemoval(
                            SimulateRemovalRequest.newBuilder().addNodes("a").build());
            channel.shutdownNow();
            assertEquals(
                    List.of("web"), response.getRemovals(0).getBlockingPods(0).getDisruptionBudgetsList());
            process.toHandle().destroy();
            process.waitFor();
            List<String> said = err.lines().toList();
            assertTrue(said.stream().anyMatch(each -> each.contains("spec.minAvailable")), said::toString);
            assertTrue(
                    said.stream().anyMatch(each -> each.contains("loaded 4 objects, ignored 1 PodDisruptionBudget of")),
                    said::toString);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    @Tag("long")
    void serverWithCallsThatDoNotEnd_endsThem_andExitsInTime() throws Exception {
        Process process = start("--listen", "127.0.0.1:0", "--lame-duck", "1s", "--stop-within", "3s");
        ManagedChannel channel = null;
        try (BufferedReader out = process.inputReader()) {
            String line = Objects.requireNonNull(out.readLine());
            channel = channel(line.substring(line.lastIndexOf(' ') + 1));
            CompletableFuture<Status> unanswered = halfAsked(channel);
            BlockingClientCall<SyncRequest, SyncResponse> feed =
                    ClusterStateGrpc.newBlockingV2Stub(channel).sync();
            feed.write(SyncRequest.newBuilder()
                    .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                    .build());
            // The server has received both calls once it has answered a later one.
            assertNotNull(feed.read());
            assertTrue(process.toHandle().destroy());
            assertTrue(process.waitFor(15, TimeUnit.SECONDS), "it runs on");
            assertEquals(SIGTERM, process.exitValue());
            StatusException ended = assertThrows(StatusException.class, feed::read);
            assertEquals(Status.Code.UNAVAILABLE, ended.getStatus().getCode());
            assertEquals(Status.Code.UNAVAILABLE, unanswered.get().getCode());
        } finally {
            if (channel != null) {
                channel.shutdownNow();
            }
            process.destroyForcibly().waitFor();
        }
    }

    /** Makes a call that never sends the end of its request. Completes with the end of the call. */
    private static CompletableFuture<Status> halfAsked(ManagedChannel channel) {
        ClientCall<GetStatusRequest, GetStatusResponse> call =
                channel.newCall(ClusterStateGrpc.getGetStatusMethod(), CallOptions.DEFAULT);
        CompletableFuture<Status> end = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(GetStatusRequest.getDefaultInstance());
        return end;
    }

    @Test
    void server_listensAtSeveralAddresses_andOnASocketThatItRemoves() throws Exception {
        Path socket = directory.resolve("e.sock");
        Process process = start("--listen", "127.0.0.1:0", "--listen", "unix:" + socket + ",mode=0660");
        try (BufferedReader out = process.inputReader()) {
            String first = Objects.requireNonNull(out.readLine());
            assertTrue(first.matches("evenkeel listens on 127\\.0\\.0\\.1:\\d+"), first);
            String second = Objects.requireNonNull(out.readLine());
            assertEquals("evenkeel listens on unix:" + socket, second);
            for (String line : List.of(first, second)) {
                assertEquals(
                        0, status(line.substring(line.lastIndexOf(' ') + 1)).getNodeCount());
            }
            assertEquals("rw-rw----", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
            Outcome again = run("serve", "--listen", "unix:" + socket);
            assertEquals(ExitCodes.NOT_DONE, again.code, again.err);
            assertEquals(
                    "evenkeel serve: --listen unix:" + socket + ": another server already listens there",
                    again.err.strip());
            assertTrue(process.toHandle().destroy());
            assertEquals(SIGTERM, process.waitFor());
            assertFalse(Files.exists(socket));
        } finally {
            process.destroyForcibly();
        }
    }

    /** The next line of the log, without its time. */
    private static String logged(BufferedReader err) throws IOException {
        String line = Objects.requireNonNull(err.readLine());
        assertTrue(LOG_LINE.matcher(line).matches(), line);
        return line.substring(line.indexOf(' ') + 1);
    }

    @Test
    void openAddress_isWarnedOf() throws Exception {
        Process process = start("--listen", "0.0.0.0:0", "--insecure");
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            String line = Objects.requireNonNull(out.readLine());
            assertTrue(line.matches("evenkeel listens on 0\\.0\\.0\\.0:\\d+"), line);
            assertEquals(
                    "WARNING --insecure: anyone who can reach " + line.substring(line.lastIndexOf(' ') + 1)
                            + " can read and change everything",
                    logged(err));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    @Tag("long")
    void apiServerThatIsNotThere_isReportedOnce_andTheServerListens() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
                current-context: here
                contexts: [{name: here, context: {cluster: here, user: me}}]
                clusters: [{name: here, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: me, user: {}}]
                """.formatted(port));
        Process process = start("--listen", "127.0.0.1:0", "--kube", "--kubeconfig", kubeconfig.toString());
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            String line = Objects.requireNonNull(out.readLine());
            assertFalse(status(line.substring(line.lastIndexOf(' ') + 1)).getReady());
            assertEquals("INFO kube: reading from http://127.0.0.1:" + port, logged(err));
            String problem = logged(err);
            assertTrue(problem.startsWith("WARNING kube: "), problem);
            assertTrue(problem.contains(": no connection to http://127.0.0.1:" + port), problem);
            // The other kinds fail within a second as well.
            Thread.sleep(2_000);
            assertTrue(process.toHandle().destroy());
            assertEquals(SIGTERM, process.waitFor());
            assertNull(err.readLine());
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void refusedObjects_areWarnedOf_andTheOthersLoaded_fromStandardInputToo() throws Exception {
        Process process = start("--listen", "127.0.0.1:0", "--defaults", "none", "--cluster", "-");
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            process.getOutputStream().write("""
                    {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "z1", "uid": "1"}}
                    {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "namespace": "shop", "resourceVersion": "x"}}
                    """.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().close();
            String line = Objects.requireNonNull(out.readLine());
            assertEquals(1, status(line.substring(line.lastIndexOf(' ') + 1)).getNodeCount());
            String warning = logged(err);
            assertTrue(warning.startsWith("WARNING standard input: object 2 (shop/p) was skipped: "), warning);
            assertTrue(warning.contains("pod.metadata.resourceVersion"), warning);
            assertEquals("INFO standard input: loaded 1 objects, skipped 1", logged(err));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void metrics_areServedToPrometheus() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        TestAuthority.Issued certificate = authority.issue("server", "127.0.0.1");
        // The certificate has a metric, although the socket does not use TLS.
        Process process = start(
                "--listen",
                "unix:" + directory.resolve("e.sock"),
                "--tls-cert",
                write("tls.crt", certificate.certificatePem()),
                "--tls-key",
                write("tls.key", certificate.keyPem()),
                "--client-ca",
                write("ca.crt", authority.pem()),
                "--access",
                write("access.yaml", "rules: [{socket: %s, may: [ask]}]".formatted(directory.resolve("e.sock"))),
                "--metrics",
                "127.0.0.1:0",
                "--admission",
                "127.0.0.1:0",
                "--cluster",
                CLUSTER);
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            String line = Objects.requireNonNull(out.readLine());
            status(line.substring(line.lastIndexOf(' ') + 1));
            String metricsLine = "";
            // The log first warns of the certificate's expiry and counts the cluster's objects.
            while (!metricsLine.startsWith("INFO metrics at ")) {
                metricsLine = logged(err);
            }
            assertTrue(metricsLine.matches("INFO metrics at http://127\\.0\\.0\\.1:\\d+/metrics"), metricsLine);
            String admissionLine = logged(err);
            assertTrue(
                    admissionLine.matches("INFO admission webhook at https://127\\.0\\.0\\.1:\\d+/warnings"),
                    admissionLine);
            URL url = URI.create(metricsLine.substring(metricsLine.indexOf("http")))
                    .toURL();
            List<String> metrics;
            try (BufferedReader page =
                    new BufferedReader(new InputStreamReader(url.openStream(), StandardCharsets.UTF_8))) {
                metrics = page.lines().toList();
            }
            assertTrue(metrics.contains("evenkeel_pods 57.0"), metrics.toString());
            String call = "grpc_server_requests_received_messages_total{method=\"GetStatus\",methodType=\"UNARY\","
                    + "service=\"evenkeel.v1.ClusterState\"} 1.0";
            assertTrue(metrics.contains(call), metrics.toString());
            assertTrue(metrics.stream().anyMatch(each -> each.startsWith("jvm_memory_used_bytes{")));
            assertEquals(metricsOfTheTable(), metricsOfOurOwn(metrics));
            assertEquals(LABELS, labelsOfOurOwn(metrics));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** The warm-up continues until queries are answered, so if queries waited for it, none would be. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void server_isReadyWhenItsFeedIs_neitherBefore_norOnlyAfterItsWarmUp() throws Exception {
        Process process = start("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--warm-up", "1h");
        ManagedChannel channel = null;
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            String metricsLine = Objects.requireNonNull(err.readLine());
            HttpRequest ready = HttpRequest.newBuilder(URI.create(metricsLine.substring(metricsLine.indexOf("http")))
                            .resolve("/readyz"))
                    .build();
            String line = Objects.requireNonNull(out.readLine());
            channel = channel(line.substring(line.lastIndexOf(' ') + 1));
            BlockingClientCall<SyncRequest, SyncResponse> feed =
                    ClusterStateGrpc.newBlockingV2Stub(channel).sync();
            HttpClient client = HttpClient.newHttpClient();
            assertEquals(503, client.send(ready, BodyHandlers.ofString()).statusCode());
            feed.write(SyncRequest.newBuilder()
                    .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                    .build());
            assertNotNull(feed.read());
            assertEquals(503, client.send(ready, BodyHandlers.ofString()).statusCode());
            feed.write(SyncRequest.newBuilder()
                    .setEndSnapshot(EndSnapshot.getDefaultInstance())
                    .build());
            assertNotNull(feed.read());
            assertEquals(200, client.send(ready, BodyHandlers.ofString()).statusCode());
            // The plans shared by first queries are prepared for this server's queries.
            ClusterStateGrpc.ClusterStateBlockingStub state = ClusterStateGrpc.newBlockingStub(channel);
            Await.until(
                    () -> state.getStatus(GetStatusRequest.getDefaultInstance()).getPlanCount() != 0);
        } finally {
            if (channel != null) {
                channel.shutdownNow();
            }
            process.destroyForcibly().waitFor();
        }
    }

    /** The metrics of a page except those of the JVM. */
    private static Set<String> metricsOfOurOwn(List<String> page) {
        return page.stream()
                .filter(line -> line.startsWith("# TYPE evenkeel_") || line.startsWith("# TYPE grpc_"))
                .map(line -> line.substring("# TYPE ".length(), line.lastIndexOf(' ')))
                // A timer has a separate metric for its maximum.
                .filter(name -> !name.endsWith("_seconds_max"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> labelsOfOurOwn(List<String> page) {
        return page.stream()
                .filter(line -> line.startsWith("evenkeel_") || line.startsWith("grpc_"))
                .flatMap(line -> LABEL.matcher(line).results())
                .map(label -> label.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The metrics in the documentation, each in the first cell of a row. */
    private static Set<String> metricsOfTheTable() throws IOException {
        return Files.readAllLines(Path.of("../docs/operate/README.md")).stream()
                .filter(line -> line.startsWith("| `evenkeel_") || line.startsWith("| `grpc_"))
                .map(line -> line.substring(line.indexOf('`') + 1, line.indexOf("` |")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--listen 7450 | --listen",
                "--listen 127.0.0.1:99999 | 65535",
                "--listen 127.0.0.1: | must be HOST:PORT",
                "--listen :7450 | must be HOST:PORT",
                "--listen [::1:7450 | must be HOST:PORT",
                "--listen ::1:7450 | must be HOST:PORT",
                "--listen 127.0.0.1:-1 | must be HOST:PORT",
                "--listen nowhere.invalid:1 | nowhere.invalid",
                "--kubeconfig x | --kubeconfig and --context need --kube",
                "--kube --cluster x | --kube and --cluster cannot be combined",
                "--max-pods 0 | : --max-pods must be at least 1, was 0 (see",
                "--max-pods many | many",
                "--longest-wait 5 | 500ms, 30s, 10m or 2h",
                "--defaults some | some",
                "--defaults none --scheduler-config x | mutually exclusive",
                "--cluster | --cluster",
                "--cluster - --cluster - | standard input can be read only once",
                "--metrics 9464 | --metrics",
                "--log-format xml | --log-format",
                "--max-plans 0 | : --max-plans must be at least 1, was 0 (see",
                "--stop-within 9999999h | must be at most 876000h",
                "--skew-metrics 15s | --skew-metrics needs --metrics",
                "--skew-metrics 1ms --metrics 127.0.0.1:0 | must be 0 or at least 1s",
                "--lame-duck 6s | : --lame-duck must be at most --stop-within, 5s, was 6s (see",
                "--lame-duck 90s --stop-within 1m | : --lame-duck must be at most --stop-within, 1m, was 90s (see",
                "--stalled-after 0 | : --stalled-after must be more than 0, was 0 (see",
                "--idle-connection 0ms | : --idle-connection must be more than 0, was 0ms (see",
                "--max-message-bytes 9 --max-bytes-in-flight 8 | : --max-message-bytes must be at most --max-bytes-in-flight, 8, was 9 (see",
                "--max-bytes-in-flight 8 | : --max-message-bytes must be at most --max-bytes-in-flight, 8, was 16777216 (see",
                "--what | --what",
                "--listn 127.0.0.1:0 | did you mean --listen?",
                "--listen unix: | must name a file after unix:",
                "--listen unix:/run/ | must name a file after unix:",
                "--listen unix:/tmp/e.sock,mode=888 | mode must be octal, such as 0660, was '888'",
                "--listen 0.0.0.0:0 | can read and change everything: give --tls-cert and --tls-key",
                "--listen 127.0.0.1:0 --listen [::]:0 | use --insecure",
                "--console 0.0.0.0:0 | can read and change everything: give --tls-cert and --tls-key",
                "--listen 0.0.0.0:0 --tokens t | anyone on the network path to 0.0.0.0:0 can read tokens and answers",
                "--listen 0.0.0.0:0 --tls-cert c --tls-key k | give --client-ca, --tokens or --access",
                "--tls-cert c | --tls-cert and --tls-key must be given together",
                "--admission 127.0.0.1:0 | --admission needs --tls-cert and --tls-key",
                "--client-ca c | --client-ca needs --tls-cert",
                "--kube-tokens evenkeel --access a | --kube-tokens needs --kube",
            })
    void wrongUsage_isReportedInOneLine(String arguments, String named) {
        Outcome outcome = run(("serve " + arguments).split(" "));
        assertEquals(ExitCodes.NOT_DONE, outcome.code, outcome.err);
        assertEquals(1, outcome.err.lines().count(), outcome.err);
        assertTrue(outcome.err.startsWith("evenkeel serve: "), outcome.err);
        assertTrue(outcome.err.contains(named), outcome.err);
        assertTrue(outcome.err.contains("(see evenkeel serve --help)"), outcome.err);
        assertEquals("", outcome.out);
    }

    /** The options contain the defaults as strings. */
    @Test
    void serverWithoutOptions_hasTheDefaultsOfTheCode() throws IOException {
        Serve serve = new Serve();
        new CommandLine(serve).parseArgs();
        ServerOptions options = serve.options(null);
        ServerOptions defaults = ServerOptions.onLoopback(ServerOptions.DEFAULT_PORT);
        assertEquals(defaults.listeners(), options.listeners());
        assertEquals(defaults.access(), options.access());
        assertEquals(defaults.maxMessageBytes(), options.maxMessageBytes());
        assertEquals(TransportLimits.DEFAULT, options.transport());
        assertEquals(StopTimes.DEFAULT, options.stop());
        assertEquals(Limits.DEFAULT, options.instance().limits());
        assertEquals(EngineOptions.defaults(), options.instance().engine());
        assertEquals(InstanceOptions.standard(), options.instance());
    }

    @ParameterizedTest
    @MethodSource("optionsWithNumbers")
    void numberBelowItsBound_isReportedWithTheOption(String option) {
        Outcome outcome = run("serve", option, "-1");
        assertEquals(ExitCodes.NOT_DONE, outcome.code, outcome.err);
        assertTrue(
                outcome.err
                        .strip()
                        .matches("evenkeel serve: " + option
                                + " must be at least [01], was -1 \\(see evenkeel serve --help\\)"),
                outcome.err);
    }

    private static CommandLine serveCommand() {
        return Objects.requireNonNull(Evenkeel.commandLine().getSubcommands().get("serve"));
    }

    static List<String> optionsWithNumbers() {
        List<String> options = new ArrayList<>();
        for (OptionSpec each : serveCommand().getCommandSpec().options()) {
            if (Set.of(int.class, long.class, Long.class).contains(each.type())) {
                options.add(each.longestName());
            }
        }
        return options;
    }

    @Test
    void kubeconfigThatIsNotThere_isReportedInOneLine() {
        Path none = directory.resolve("none");
        Outcome outcome = run("serve", "--kube", "--kubeconfig", none.toString());
        assertEquals(ExitCodes.NOT_DONE, outcome.code, outcome.err);
        assertEquals(
                "evenkeel serve: --kube: kubeconfig " + none + " does not exist or is not readable",
                outcome.err.strip());
    }

    @Test
    void fileThatCannotBeRead_isReportedInOneLine_withItsName() throws Exception {
        assertFails(directory.resolve("none.json") + ": no such file", "--cluster", directory.resolve("none.json"));
        Path cut = directory.resolve("cut.json");
        Files.writeString(cut, "{\"kind\": \"List\", \"items\": [{\"kind\": \"Node\", \"meta");
        assertFails(cut.toString(), "--cluster", cut);
        assertFails(
                "--access " + directory.resolve("config.yaml") + ": line 1: rules must be a list",
                "--access",
                write("rules: 7\n"));
        assertFails("--tokens " + directory.resolve("none") + ": no such file", "--tokens", directory.resolve("none"));
        assertFails("apiVersion must be kubescheduler.config.k8s.io/v1", "--scheduler-config", write("kind: Pod\n"));
    }

    @Test
    void portThatIsTaken_isReportedInOneLine() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            Outcome outcome = run("serve", "--listen", address);
            assertEquals(ExitCodes.NOT_DONE, outcome.code, outcome.err);
            assertEquals(
                    "evenkeel serve: --listen " + address
                            + ": address already in use; choose another with --listen (port 0 picks a free one)",
                    outcome.err.strip());
            Outcome metrics = run("serve", "--listen", "127.0.0.1:0", "--metrics", address);
            assertEquals(ExitCodes.NOT_DONE, metrics.code, metrics.err);
            assertEquals(
                    "evenkeel serve: --metrics " + address
                            + ": address already in use; choose another with --metrics (port 0 picks a free one)",
                    metrics.err.strip());
        }
    }

    @Test
    void addressOfAnotherMachine_isReportedInOneLine() {
        // From the range for documentation, which no machine has.
        Outcome outcome = run("serve", "--listen", "192.0.2.1:7450", "--insecure");
        assertEquals(ExitCodes.NOT_DONE, outcome.code, outcome.err);
        assertEquals(1, outcome.err.lines().count(), outcome.err);
        assertTrue(outcome.err.startsWith("evenkeel serve: --listen 192.0.2.1:7450: "), outcome.err);
        assertTrue(outcome.err.contains("assign requested address"), outcome.err);
    }

    @Test
    void help_namesEveryOption() {
        Outcome outcome = run("serve", "--help");
        assertEquals(0, outcome.code);
        for (String option : List.of(
                "--listen",
                "--insecure",
                "--cluster",
                "--defaults",
                "--scheduler-config",
                "--max-pods",
                "--longest-wait")) {
            assertTrue(outcome.out.contains(option), outcome.out);
        }
        assertTrue(run("--help").out.contains("serve"));
    }

    @Test
    void page_namesEveryOption() throws IOException {
        Set<String> named = OPTION.matcher(Files.readString(Path.of("../docs/operate/options.md")))
                .results()
                .map(option -> option.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> options = new TreeSet<>();
        for (OptionSpec each : serveCommand().getCommandSpec().options()) {
            options.add(each.longestName());
        }
        named.addAll(List.of("--help", "--version"));
        assertEquals(options, named);
    }

    @Test
    void mistypedCommand_isAskedAfter() {
        assertEquals(
                "evenkeel: Unmatched argument at index 0: 'sevre'; did you mean serve? (see evenkeel --help)",
                run("sevre").err.strip());
    }

    private void assertFails(String named, String option, Path file) {
        Outcome outcome = run("serve", "--listen", "127.0.0.1:0", option, file.toString());
        assertEquals(ExitCodes.NOT_DONE, outcome.code, outcome.err);
        assertEquals(1, outcome.err.lines().count(), outcome.err);
        assertTrue(outcome.err.contains(named), outcome.err);
    }

    private Path write(String text) throws IOException {
        return Path.of(write("config.yaml", text));
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private record Outcome(int code, String out, String err) {}

    private static Outcome run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Evenkeel.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Outcome(code, out.toString(), err.toString());
    }

    private static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("serve"));
        command.addAll(List.of(arguments));
        return ForkedJava.of(List.of(), Evenkeel.class, command).start();
    }

    private static ManagedChannel channel(String address) {
        return Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
                .build();
    }

    private static GetStatusResponse status(String address) {
        ManagedChannel channel = channel(address);
        try {
            return ClusterStateGrpc.newBlockingStub(channel).getStatus(GetStatusRequest.getDefaultInstance());
        } finally {
            channel.shutdownNow();
        }
    }
}
