package io.evenkeel.admission;

import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.evenkeel.access.AccessControl;
import io.evenkeel.access.AccessOptions;
import io.evenkeel.access.TestAuthority;
import io.evenkeel.engine.Await;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.operations.HttpServer;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeSpec;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.Taint;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends AdmissionReviews to a real server, over HTTPS. */
@Timeout(60)
final class ReviewPageTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int MAX_BODY_BYTES = 4 << 20;
    private static final int MAX_LENGTH = 120;

    /** Longer than any test takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** A hard constraint of the pods with {@code app: web}, without its end. */
    private static final String HARD = "{\"maxSkew\": 1, \"whenUnsatisfiable\": \"DoNotSchedule\", "
            + "\"labelSelector\": {\"matchLabels\": {\"app\": \"web\"}}, ";

    private static final String BY_ZONE = HARD + "\"topologyKey\": \"topology.kubernetes.io/zone\"}";

    @TempDir
    private Path directory = Path.of("");

    private final TestAuthority authority = new TestAuthority("authority");
    private final Instance instance = new Instance(InstanceOptions.standard());
    private final SyncSession feed = instance.clusterState().sync();
    private @Nullable AccessControl access;
    private @Nullable HttpServer server;
    private @Nullable HttpClient client;

    @BeforeEach
    void start() throws Exception {
        TestAuthority.Issued certificate = authority.issue("server", "127.0.0.1");
        access = AccessControl.start(new AccessOptions(
                Files.writeString(directory.resolve("tls.crt"), certificate.certificatePem()),
                Files.writeString(directory.resolve("tls.key"), certificate.keyPem()),
                null,
                null,
                null));
        server = serve(instance.placement().warnings()::of);
        client = client(authority);
    }

    private HttpServer serve(PodCheck check) throws IOException {
        return serve(check, PATIENCE);
    }

    private HttpServer serve(PodCheck check, Duration within) throws IOException {
        return ReviewPage.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Objects.requireNonNull(Objects.requireNonNull(access).https()),
                check,
                within);
    }

    private static HttpClient client(TestAuthority trusted) throws Exception {
        Certificate certificate = CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(trusted.pem().getBytes(StandardCharsets.US_ASCII)));
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("authority", certificate);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    @AfterEach
    void stop() {
        Objects.requireNonNull(server).close();
        feed.close();
        Objects.requireNonNull(access).close();
        instance.close();
    }

    /** Feeds a node in each of some zones, and everything else as absent. */
    private void feedZones(int zones) {
        feed.handle(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                .build());
        feed.handle(SyncRequest.newBuilder()
                .setObjects(io.evenkeel.v1.Objects.newBuilder().addAllObjects(zones(new int[zones])))
                .build());
        feed.handle(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                .build());
    }

    private static URI uri(@Nullable HttpServer at, String path) {
        return URI.create("https://127.0.0.1:" + Objects.requireNonNull(at).port() + path);
    }

    private HttpResponse<String> post(String path, BodyPublisher body) throws IOException, InterruptedException {
        return Objects.requireNonNull(client)
                .send(HttpRequest.newBuilder(uri(server, path)).POST(body).build(), BodyHandlers.ofString());
    }

    private static String review(String request) {
        return """
                {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                 "request": {"uid": "705ab4f5", "operation": "CREATE", "namespace": "shop", %s}}
                """.formatted(request);
    }

    /** The warnings of a review, which must be allowed. */
    private List<String> warnings(String request) throws IOException, InterruptedException {
        HttpResponse<String> response = post("/warnings", BodyPublishers.ofString(review(request)));
        assertEquals(200, response.statusCode(), response.body());
        assertEquals(
                "application/json",
                response.headers().firstValue("Content-Type").orElse(""));
        return allowed(response.body());
    }

    private static List<String> allowed(String body) throws IOException {
        JsonNode review = MAPPER.readTree(body);
        assertEquals("admission.k8s.io/v1", review.path("apiVersion").asText());
        assertEquals("AdmissionReview", review.path("kind").asText());
        ObjectNode response = (ObjectNode) review.path("response");
        List<String> warnings = new ArrayList<>();
        response.path("warnings").forEach(each -> warnings.add(each.asText()));
        response.remove("warnings");
        assertEquals("{\"uid\":\"705ab4f5\",\"allowed\":true}", response.toString());
        for (String warning : warnings) {
            assertTrue(warning.length() <= MAX_LENGTH && !warning.isEmpty(), warning);
        }
        return warnings;
    }

    private static String deployment(String constraints) {
        return """
                "object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
                 "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
                  "spec": {"containers": [{"name": "main", "image": "registry.example/app:1"}],
                   "topologySpreadConstraints": [%s]}}}}
                """.formatted(constraints);
    }

    @Test
    void constraintsThatWork_getNoWarnings() throws Exception {
        feedZones(3);
        assertEquals(List.of(), warnings(deployment(BY_ZONE)));
        assertEquals(List.of(), warnings(deployment("")));
    }

    @Test
    void keyThatNoNodeHas_isReported_withTheOneThatWasMeant() throws Exception {
        feedZones(3);
        assertEquals(
                List.of("topologySpreadConstraints[1].topologyKey: no node has this label; did you mean"
                        + " topology.kubernetes.io/zone?"),
                warnings(deployment(BY_ZONE + ", " + HARD + "\"topologyKey\": \"topology.kubernetes.io/zoen\"}")));
        assertEquals(
                List.of("topologySpreadConstraints[0].topologyKey: no node has this label, so the pods stay pending"),
                warnings(deployment(HARD + "\"topologyKey\": \"rack\"}")));
        assertEquals(
                List.of(
                        "topologySpreadConstraints[0].topologyKey: no node has this label, so the constraint has no effect"),
                warnings(deployment(HARD.replace("DoNotSchedule", "ScheduleAnyway") + "\"topologyKey\": \"rack\"}")));
    }

    @Test
    void singleDomain_isReported() throws Exception {
        feedZones(1);
        assertEquals(
                List.of("topologySpreadConstraints[0].minDomains: only one domain is eligible, z1, so the constraint"
                        + " limits nothing"),
                warnings(deployment(BY_ZONE)));
    }

    @Test
    void minDomains_isReported_ifFewerAreEligible() throws Exception {
        feedZones(3);
        String minDomains = BY_ZONE.replace("{\"maxSkew\"", "{\"minDomains\": %d, \"maxSkew\"");
        assertEquals(List.of(), warnings(deployment(minDomains.formatted(3))));
        assertEquals(
                List.of("topologySpreadConstraints[0].minDomains: is 4, but only 3 domains are eligible, so each"
                        + " takes at most 1 pod"),
                warnings(deployment(minDomains.formatted(4))));
        String inZone1 = deployment(minDomains.formatted(2))
                .replace(
                        "\"containers\"",
                        "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"z1\"}, \"containers\"");
        assertEquals(
                List.of("topologySpreadConstraints[0].minDomains: is 2, but only one domain is eligible, so each"
                        + " takes at most 1 pod"),
                warnings(inZone1));
        assertEquals(
                List.of(
                        "topologySpreadConstraints[0].minDomains: is 2, but no domain is eligible, so the pods stay pending"),
                warnings(inZone1.replace("\"z1\"", "\"z9\"")));
        String ofOthers = minDomains.formatted(4).replace("\"app\": \"web\"", "\"app\": \"other\"");
        assertEquals(
                List.of("topologySpreadConstraints[0].labelSelector: does not match the pod's own labels, because of"
                        + " app=other"),
                warnings(deployment(ofOthers)));
    }

    @Test
    void keyThatNoNodeHas_ofThoseThatThePodsCanEnter_isReported() throws Exception {
        feedZones(2);
        addNode(Node.newBuilder().setMetadata(node("plain").putLabels("disk", "ssd")));
        assertEquals(
                List.of("topologySpreadConstraints[0].topologyKey: no node that the pods can enter has this label, so"
                        + " they stay pending"),
                warnings(deployment(BY_ZONE)
                        .replace("\"containers\"", "\"nodeSelector\": {\"disk\": \"ssd\"}, \"containers\"")));
    }

    /** Pods of a DaemonSet tolerate the taint of a cordon. */
    @Test
    void keyOfACordonedNode_isReported_butNotForADaemonSet() throws Exception {
        feedZones(2);
        addNode(Node.newBuilder()
                .setMetadata(node("cordoned").putLabels("rack", "r1"))
                .setSpec(NodeSpec.newBuilder()
                        .setUnschedulable(true)
                        .addTaints(Taint.newBuilder()
                                .setKey("node.kubernetes.io/unschedulable")
                                .setEffect("NoSchedule"))));
        String byRack = HARD + "\"nodeAffinityPolicy\": \"Ignore\", \"topologyKey\": \"rack\"}";
        assertEquals(
                List.of("topologySpreadConstraints[0].topologyKey: no node that the pods can enter has this label, so"
                        + " they stay pending"),
                warnings(deployment(byRack)));
        assertEquals(List.of(), warnings(daemonSet(byRack)));
    }

    @Test
    void constraintWithoutAnEligibleDomain_isReported() throws Exception {
        feedZones(2);
        addNode(Node.newBuilder().setMetadata(node("plain").putLabels("rack", "r1")));
        String none = "topologySpreadConstraints[%d].topologyKey: no domain is eligible, so the pods stay pending";
        String nowhere = deployment(BY_ZONE)
                .replace(
                        "\"containers\"",
                        "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"z9\"}, \"containers\"");
        assertEquals(List.of(none.formatted(0)), warnings(nowhere));
        // It creates no pods then.
        assertEquals(
                List.of("topologySpreadConstraints[0]: a DaemonSet restricts each pod to one node, so the constraint"
                        + " spreads nothing"),
                warnings(nowhere.replace("Deployment", "DaemonSet")));
        assertEquals(
                List.of(none.formatted(0), none.formatted(1)),
                warnings(deployment(BY_ZONE + ", " + HARD + "\"topologyKey\": \"rack\"}")));
    }

    @Test
    void constraintWhoseNodesAreAllTainted_isReported_ifItHonorsTaints() throws Exception {
        feedZones(0);
        addNode(Node.newBuilder()
                .setMetadata(node("tainted").putLabels("topology.kubernetes.io/zone", "z1"))
                .setSpec(NodeSpec.newBuilder()
                        .addTaints(Taint.newBuilder().setKey("gpu").setEffect("NoSchedule"))));
        assertEquals(List.of(), warnings(deployment(BY_ZONE)));
        String honor = BY_ZONE.replace("{\"maxSkew\"", "{\"nodeTaintsPolicy\": \"Honor\", \"maxSkew\"");
        assertEquals(
                List.of("topologySpreadConstraints[0].topologyKey: no domain is eligible, so the pods stay pending"),
                warnings(deployment(honor)));
    }

    private static ObjectMeta.Builder node(String name) {
        return ObjectMeta.newBuilder().setName(name).setUid(name);
    }

    private void addNode(Node.Builder node) {
        feed.handle(SyncRequest.newBuilder()
                .setEvents(Events.newBuilder()
                        .addEvents(ClusterEvent.newBuilder()
                                .setType(ClusterEvent.Type.TYPE_ADDED)
                                .setObject(ClusterObject.newBuilder().setNode(node))))
                .build());
    }

    /** Their values exist only once there are pods. */
    @ParameterizedTest
    @CsvSource({
        "StatefulSet, statefulset.kubernetes.io/pod-name",
        "StatefulSet, apps.kubernetes.io/pod-index",
        "Job, batch.kubernetes.io/job-completion-index"
    })
    void selectorByALabelThatAControllerAdds_isNotReported(String kind, String key) throws Exception {
        String workload = deployment(BY_ZONE.replace(
                        "\"matchLabels\": {\"app\": \"web\"}",
                        "\"matchExpressions\": [{\"key\": \"" + key + "\", \"operator\": \"Exists\"}]"))
                .replace("Deployment", kind)
                .replace("apps/v1", kind.equals("Job") ? "batch/v1" : "apps/v1");
        assertEquals(List.of(), warnings(workload));
        assertEquals(1, warnings(workload.replace(key, "pod-index")).size());
    }

    @ParameterizedTest
    @CsvSource({
        "Deployment, batch.kubernetes.io/job-completion-index",
        "ReplicaSet, pod-template-hash",
        "StatefulSet, pod-template-hash",
        "DaemonSet, apps.kubernetes.io/pod-index",
        "Job, statefulset.kubernetes.io/pod-name"
    })
    void selectorByALabelThatOnlyOtherControllersAdd_isReported(String kind, String key) throws Exception {
        String workload = deployment(BY_ZONE.replace("{\"app\": \"web\"}", "{\"" + key + "\": \"x\"}"))
                .replace("Deployment", kind)
                .replace("apps/v1", kind.equals("Job") ? "batch/v1" : "apps/v1");
        String reason = "does not match the pod's own labels, because of ";
        assertTrue(warnings(workload).toString().contains(reason), workload);
    }

    @Test
    void selectorByALabelOfAController_isReported_forAPodWithoutOne() throws Exception {
        String byHash = BY_ZONE.replace("{\"app\": \"web\"}", "{\"pod-template-hash\": \"x\"}");
        assertEquals(
                List.of("topologySpreadConstraints[0].labelSelector: does not match the pod's own labels, because of"
                        + " pod-template-hash=x"),
                warnings("""
                        "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}},
                         "spec": {"containers": [{"name": "main"}], "topologySpreadConstraints": [%s]}}
                        """.formatted(byHash)));
    }

    /** With nodeAffinityPolicy Honor, only the node of the pod is eligible, and no node is missing for minDomains. */
    @Test
    void hardConstraintOfADaemonSet_isReported_unlessItCountsOtherNodes() throws Exception {
        List<String> spreadsNothing = List.of(
                "topologySpreadConstraints[0]: a DaemonSet restricts each pod to one node, so the constraint spreads"
                        + " nothing");
        assertEquals(spreadsNothing, warnings(daemonSet(BY_ZONE)));
        feedZones(3);
        assertEquals(spreadsNothing, warnings(daemonSet(BY_ZONE)));
        String minDomains = BY_ZONE.replace("{\"maxSkew\"", "{\"minDomains\": 4, \"maxSkew\"");
        assertEquals(spreadsNothing, warnings(daemonSet(minDomains)));
        assertEquals(List.of(), warnings(daemonSet(BY_ZONE.replace("DoNotSchedule", "ScheduleAnyway"))));
        String ignore = "{\"nodeAffinityPolicy\": \"Ignore\", \"maxSkew\"";
        assertEquals(List.of(), warnings(daemonSet(BY_ZONE.replace("{\"maxSkew\"", ignore))));
        assertEquals(
                List.of("topologySpreadConstraints[0].minDomains: is 4, but only 3 domains are eligible, so each"
                        + " takes at most 1 pod"),
                warnings(daemonSet(minDomains.replace("\"maxSkew\"", ignore.substring(1)))));
    }

    private static String daemonSet(String constraints) {
        return deployment(constraints).replace("Deployment", "DaemonSet");
    }

    @Test
    void selectors_areChecked_evenIfTheNodesAreUnknown() throws Exception {
        String typo = BY_ZONE.replace("\"app\": \"web\"", "\"app\": \"wbe\"");
        List<String> mismatch = List.of(
                "topologySpreadConstraints[0].labelSelector: does not match the pod's own labels, because of app=wbe");
        assertEquals(mismatch, warnings(deployment(typo)));
        assertEquals(List.of(), warnings(deployment(HARD + "\"topologyKey\": \"rack\"}")));
        assertEquals(
                List.of("topologySpreadConstraints[0].labelSelector: an empty selector matches no pods here, so the"
                        + " constraint counts nothing"),
                warnings(deployment(BY_ZONE.replace("\"matchLabels\": {\"app\": \"web\"}", ""))));
        feedZones(3);
        assertEquals(mismatch, warnings(deployment(typo)));
        // The API server itself warns of this.
        assertEquals(
                List.of(),
                warnings(
                        deployment(BY_ZONE.replace("\"labelSelector\": {\"matchLabels\": {\"app\": \"web\"}}, ", ""))));
        String byKey = BY_ZONE.replace("\"matchLabels\": {\"app\": \"web\"}", "")
                .replace("{\"maxSkew\"", "{\"matchLabelKeys\": [\"apps.kubernetes.io/pod-index\"], \"maxSkew\"");
        assertEquals(1, warnings(deployment(byKey)).size());
        assertEquals(List.of(), warnings(deployment(byKey).replace("Deployment", "StatefulSet")));
        // A key that the controller of the pods adds.
        assertEquals(
                List.of(),
                warnings(deployment(
                        BY_ZONE.replace("{\"maxSkew\"", "{\"matchLabelKeys\": [\"pod-template-hash\"], \"maxSkew\""))));
    }

    @Test
    void nodes_areNotJudged_afterTheirFeedHasEnded() throws Exception {
        feedZones(1);
        assertEquals(1, warnings(deployment(BY_ZONE)).size());
        feed.close();
        assertEquals(List.of(), warnings(deployment(BY_ZONE)));
    }

    @Test
    void longWarnings_areCut_andHaveOnlyAscii() throws Exception {
        String value = "a".repeat(63);
        List<String> cut =
                warnings(deployment(BY_ZONE.replace("\"app\": \"web\"", "\"%1$s\": \"%1$s\"".formatted(value))));
        assertEquals(1, cut.size());
        assertEquals(MAX_LENGTH, cut.get(0).length());
        assertTrue(cut.get(0).endsWith("aaa..."), cut.get(0));
        for (String warning : warnings(deployment(BY_ZONE.replace("\"app\": \"web\"", "\"a\\nz\\u00e9\": \"b\"")))) {
            assertTrue(warning.matches("[ -~]+"), warning);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    apps/v1             | StatefulSet | spec.template
                    apps/v1             | ReplicaSet  | spec.template
                    apps/v1             | DaemonSet   | spec.template
                    v1                  | ReplicationController | spec.template
                    batch/v1            | Job         | spec.template
                    batch/v1            | CronJob     | spec.jobTemplate.spec.template
                    argoproj.io/v1alpha1 | Rollout    | spec.template
                    v1                  | Pod         |
                    """)
    void everyKindWithPods_isRead(String apiVersion, String kind, @Nullable String path) throws Exception {
        feedZones(1);
        ObjectNode object =
                MAPPER.createObjectNode().put("apiVersion", apiVersion).put("kind", kind);
        object.putObject("metadata").put("name", "web");
        ObjectNode template = object;
        for (String name : path == null ? new String[0] : path.split("\\.")) {
            template = template.withObject("/" + name);
        }
        template.withObject("/metadata/labels").put("app", "web");
        template.set(
                "spec",
                MAPPER.readTree(
                        "{\"containers\": [{\"name\": \"main\"}], \"topologySpreadConstraints\": [" + BY_ZONE + "]}"));
        assertEquals(1, warnings("\"object\": " + object).size());
        assertEquals(
                1,
                warnings("\"oldObject\": " + object + ", \"object\": " + object).size());
        object.withObject("/metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("kind", "Owner")
                .put("controller", true);
        assertEquals(List.of(), warnings("\"object\": " + object));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"object\": null, \"oldObject\": {\"kind\": \"Pod\"}",
                "\"name\": \"web\"",
                "\"object\": {\"apiVersion\": \"v1\", \"kind\": \"PodExecOptions\"}",
                "\"object\": {\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", \"spec\": {}}",
                "\"object\": {\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", \"spec\": 7}",
                "\"object\": {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"spec\": {\"topologySpreadConstraints\": [{}]}}",
                "\"object\": {\"spec\": {}}",
                "\"object\": \"a string\""
            })
    void objectsThatCannotBeJudged_areAllowed(String request) throws Exception {
        feedZones(1);
        assertEquals(List.of(), warnings(request));
    }

    @Test
    void partsOfObjects_getNoWarnings() throws Exception {
        feedZones(1);
        assertEquals(List.of(), warnings("\"subResource\": \"status\", " + deployment(BY_ZONE)));
    }

    @Test
    void failureOfTheCheck_isAllowed() throws Exception {
        Objects.requireNonNull(server).close();
        server = serve((pod, stop) -> {
            throw new IllegalStateException("on purpose");
        });
        assertEquals(List.of(), warnings(deployment(BY_ZONE)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    apiVersion: v1                                                   | the body must be JSON: .*
                    {"apiVersion": "admission.k8s.io/v1", "kind"                     | the body must be JSON: .*
                    ''                                                               | apiVersion must be admission.k8s.io/v1, was ""
                    []                                                               | apiVersion must be admission.k8s.io/v1, was ""
                    {"apiVersion": "admission.k8s.io/v1beta1"}                       | apiVersion must be admission.k8s.io/v1, was "admission.k8s.io/v1beta1"
                    {"apiVersion": "admission.k8s.io/v1", "kind": "Review"}          | kind must be AdmissionReview, was "Review"
                    {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"} | request.uid must be a string
                    """)
    void malformedReviews_areRefused_inOneLine(String body, String reason) throws Exception {
        HttpResponse<String> response = post("/warnings", BodyPublishers.ofString(body));
        assertEquals(400, response.statusCode());
        assertTrue(response.body().matches(reason + "\n"), response.body());
    }

    @Test
    void otherRequests_areRefused() throws Exception {
        assertEquals(404, post("/", BodyPublishers.ofString("{}")).statusCode());
        HttpResponse<String> read = Objects.requireNonNull(client)
                .send(HttpRequest.newBuilder(uri(server, "/warnings")).build(), BodyHandlers.ofString());
        assertEquals(405, read.statusCode());
        assertEquals("POST", read.headers().firstValue("Allow").orElse(""));
    }

    @Test
    void hugeBodies_andThoseOfUnknownLength_areRefused() throws Exception {
        try (Socket socket = begin(MAX_BODY_BYTES + 1);
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            assertEquals("HTTP/1.1 413 Payload Too Large", in.readLine());
            assertTrue(in.lines().takeWhile(line -> !line.isEmpty()).anyMatch("Connection: close"::equals));
        }
        HttpResponse<String> chunked =
                post("/warnings", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[9])));
        assertEquals(411, chunked.statusCode());
        assertEquals("close", chunked.headers().firstValue("Connection").orElse(""));
        feedZones(1);
        assertEquals(1, warnings(deployment(BY_ZONE)).size());
    }

    /** Begins to send a review of this length. */
    private Socket begin(int length) throws IOException {
        Socket socket = Objects.requireNonNull(client)
                .sslContext()
                .getSocketFactory()
                .createSocket("127.0.0.1", Objects.requireNonNull(server).port());
        socket.getOutputStream()
                .write("POST /warnings HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n{"
                        .formatted(length)
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /** Their bodies are limited together, and end with their connections. */
    @Test
    void clientsThatDoNotSendTheirBodies_areLimited_untilTheyLeave() throws Exception {
        List<Socket> slow = new ArrayList<>();
        String body = review(deployment(BY_ZONE));
        // Four are enough, unless one of them arrives together with another review.
        do {
            slow.add(begin(MAX_BODY_BYTES));
        } while (post("/warnings", BodyPublishers.ofString(body)).statusCode() != 503);
        for (Socket each : slow) {
            each.close();
        }
        Await.until(() -> post("/warnings", BodyPublishers.ofString(body)).statusCode() == 200);
    }

    @Test
    void checkThatTakesTooLong_isStopped_andTheReviewAllowed() throws Exception {
        Objects.requireNonNull(server).close();
        server = serve(
                (pod, stop) -> {
                    while (true) {
                        stop.check();
                        Thread.onSpinWait();
                    }
                },
                Duration.ofMillis(20));
        assertEquals(List.of(), warnings(deployment(BY_ZONE)));
    }

    @Test
    void reviews_haveTwoThreads_whichEndWithTheServer() throws Exception {
        Objects.requireNonNull(server).close();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        server = serve(
                (pod, stop) -> {
                    threads.add(Thread.currentThread());
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    try {
                        while (true) {
                            stop.check();
                            Thread.onSpinWait();
                        }
                    } finally {
                        running.decrementAndGet();
                    }
                },
                Duration.ofMillis(200));
        HttpRequest request = HttpRequest.newBuilder(uri(server, "/warnings"))
                .POST(BodyPublishers.ofString(review(deployment(BY_ZONE))))
                .build();
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(Objects.requireNonNull(client).sendAsync(request, BodyHandlers.ofString()));
        }
        for (CompletableFuture<HttpResponse<String>> each : all) {
            assertEquals(List.of(), allowed(each.get().body()));
        }
        assertTrue(most.get() <= 2, most::toString);
        Objects.requireNonNull(server).close();
        for (Thread each : threads) {
            each.join();
        }
    }

    @Test
    void newConnections_getTheReloadedCertificate() throws Exception {
        assertEquals(List.of(), warnings(deployment(BY_ZONE)));
        TestAuthority other = new TestAuthority("other");
        TestAuthority.Issued renewed = other.issue("server", "127.0.0.1");
        Files.writeString(directory.resolve("tls.crt"), renewed.certificatePem());
        Files.writeString(directory.resolve("tls.key"), renewed.keyPem());
        while (true) {
            client = client(other);
            try {
                assertEquals(List.of(), warnings(deployment(BY_ZONE)));
                break;
            } catch (SSLHandshakeException e) {
                Thread.sleep(50);
            }
        }
        client = client(authority);
        assertThrows(SSLHandshakeException.class, () -> warnings(deployment(BY_ZONE)));
    }

    @Test
    void check_isNotStopped_beforeItsTime() throws Exception {
        CompletableFuture<Boolean> stopped = new CompletableFuture<>();
        Objects.requireNonNull(server).close();
        server = serve((Pod pod, StopSignal stop) -> {
            stopped.complete(stop.isStopped());
            assertEquals("shop", pod.getMetadata().getNamespace());
            return List.of("a warning");
        });
        assertEquals(List.of("a warning"), warnings(deployment(BY_ZONE)));
        assertFalse(stopped.get());
    }
}
