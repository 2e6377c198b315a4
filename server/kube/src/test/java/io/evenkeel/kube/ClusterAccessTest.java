package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.kube.client.Envelope;
import io.evenkeel.kube.client.KubeClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests each kind of credentials, and their rotation. */
final class ClusterAccessTest {
    private static final String PODS = "/api/v1/pods";
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final String USER_WITH_PLUGIN =
            "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}";

    /** Waits until the plugin's file is deleted. */
    private static final String HANGS = "while [ -e \"$0\" ]; do sleep 0.05; done";

    @TempDir
    private Path directory = Path.of("");

    /** The current time limit for plugins. */
    private final AtomicReference<Duration> patience = new AtomicReference<>(Duration.ofHours(1));

    private Path file(String name) throws IOException {
        Path file = directory.resolve(name);
        try (InputStream resource = ScriptedApiServer.resource(name)) {
            Files.write(file, resource.readAllBytes());
        }
        return file;
    }

    /** Writes a file atomically, so that a waiting plugin never reads half of it. */
    private void writeAtOnce(Path file, String text) throws IOException {
        Path aside = Files.writeString(directory.resolve("aside"), text);
        Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Writes the plugin that {@link #USER_WITH_PLUGIN} runs.
     *
     * @param before what its shell script does first
     * @param token the token that it returns, as a shell expression
     */
    private void writePlugin(String before, String token) throws IOException {
        Path plugin = Files.writeString(directory.resolve("plugin"), """
                #!/bin/sh
                %s
                echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",' \
                    '"status": {"token": "'%s'"}}'
                """.formatted(before, token));
        Files.setPosixFilePermissions(plugin, PosixFilePermissions.fromString("rwx------"));
    }

    /** Waits until the file exists, or the plugin's own file is deleted. */
    private static String waitsFor(Path file) {
        return "while [ ! -e " + file + " ]; do [ -e \"$0\" ] || exit 1; sleep 0.05; done";
    }

    /** Ends the watch of a kind, so that it must be requested again. */
    private static void breakWatch(FollowedServer followed, ObjectKind kind) throws InterruptedException {
        int before = followed.server.requests(kind).size();
        followed.server.inject(kind, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
        Await.until(() -> followed.server.requests(kind).size() > before);
    }

    @Test
    void tokenFile_isReadForEachRequest() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "first\n");
        ScriptedApiServer server = ScriptedApiServer.start();
        server.requireToken("first");
        Path kubeconfig = server.kubeconfig(directory, "", "tokenFile: token");
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            followed.awaitAll();
            Files.writeString(token, "second");
            server.requireToken("second");
            breakWatch(followed, ObjectKind.POD);
            followed.awaitAll();
            assertTrue(followed.states.stream()
                    .noneMatch(state -> String.valueOf(state.problem()).contains("returned 401")));
        }
    }

    /** Like client-go: a token next to the token file may be outdated. */
    @ParameterizedTest
    @ValueSource(strings = {"old", ""})
    void tokenFile_winsOverATokenNextToIt_unlessItCannotBeRead(String beside) throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "first\n");
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(directory, "", "tokenFile: token, token: '" + beside + "'");
            try (KubeClient client = ClusterAccess.of(kubeconfig, null).open()) {
                server.requireToken("first");
                assertTrue(client.get(PODS, PROTOBUF).length > 0);
                Files.delete(token);
                server.requireToken("old");
                if (beside.isEmpty()) {
                    String failure = String.valueOf(assertThrows(IOException.class, () -> client.get(PODS, PROTOBUF))
                            .getMessage());
                    assertTrue(failure.contains("failed to read token file " + token), failure);
                } else {
                    assertTrue(client.get(PODS, PROTOBUF).length > 0);
                }
            }
        }
    }

    /** Without impersonation, requests would have the permissions of the impersonating user. */
    @Test
    void user_whoActsAsAnother_doesSo() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(
                    directory, "", "token: first, as: other, as-groups: [one, two], as-user-extra: {scopes: [few]}");
            try (KubeClient client = ClusterAccess.of(kubeconfig, null).open()) {
                assertTrue(client.get(PODS, PROTOBUF).length > 0);
            }
            assertEquals(
                    Map.of(
                            "Impersonate-user", List.of("other"),
                            "Impersonate-group", List.of("one", "two"),
                            "Impersonate-extra-scopes", List.of("few")),
                    server.impersonated());
            Path uid = server.kubeconfig(directory, "", "token: first, as: other, as-uid: '7'");
            assertEquals("as-uid of the user me of " + uid + " is not supported", refusal(uid, null));
            Path groups = server.kubeconfig(directory, "", "token: first, as-groups: [one]");
            assertEquals(
                    "the user me of " + groups + " must set \"as\" to use as-groups or as-user-extra",
                    refusal(groups, null));
        }
    }

    @Test
    void execPlugin_isRunAgain_whenItsTokenIsNotAcceptedAnyMore() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "first");
        writePlugin("", "$(cat " + token + ")");
        ScriptedApiServer server = ScriptedApiServer.start();
        server.requireToken("first");
        Path kubeconfig = server.kubeconfig(directory, "", USER_WITH_PLUGIN);
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            followed.awaitAll();
            Files.writeString(token, "second");
            server.requireToken("second");
            breakWatch(followed, ObjectKind.POD);
            followed.awaitAll();
        }
    }

    @Test
    void execPlugin_thatDoesNotAnswer_isReported_andRunsOnlyOnce() throws Exception {
        Path runs = Files.writeString(directory.resolve("runs"), "");
        Path answer = directory.resolve("answer");
        writePlugin("echo run >>" + runs + "\n" + waitsFor(answer), "first");
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(directory, "", USER_WITH_PLUGIN);
            Files.writeString(answer, "");
            ClusterAccess access = ClusterAccess.of(kubeconfig, null, patience::get, System::nanoTime);
            Files.delete(answer);
            patience.set(Duration.ofSeconds(1));
            for (int i = 0; i < 2; i++) {
                assertEquals(
                        "the plugin of " + kubeconfig
                                + " returned no credentials within 1 s; it must not prompt for input",
                        assertThrows(ConfigurationException.class, access::open).getMessage());
            }
            writeAtOnce(answer, "");
            patience.set(Duration.ofHours(1));
            try (KubeClient opened = access.open()) {
                assertTrue(opened.get(PODS, PROTOBUF).length > 0);
            }
            assertEquals("run\nrun\n", Files.readString(runs));
        }
    }

    @Test
    @Timeout(60)
    void execPlugin_thatHangsForLong_isGivenUp_andRunAgain() throws Exception {
        Path runs = Files.writeString(directory.resolve("runs"), "");
        Path healthy = Files.writeString(directory.resolve("healthy"), "");
        writePlugin("echo run >>" + runs + "\n[ -e " + healthy + " ] || " + HANGS, "first");
        AtomicLong clock = new AtomicLong();
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(directory, "", USER_WITH_PLUGIN);
            ClusterAccess access = ClusterAccess.of(kubeconfig, null, patience::get, clock::get);
            Files.delete(healthy);
            patience.set(Duration.ofMillis(10));
            assertThrows(ConfigurationException.class, access::open);
            Await.until(() -> lines(runs) == 2);
            writeAtOnce(healthy, "");
            clock.addAndGet(Duration.ofMinutes(5).toNanos() - 1);
            assertThrows(ConfigurationException.class, access::open);
            assertEquals(2, lines(runs));
            clock.incrementAndGet();
            patience.set(Duration.ofSeconds(20));
            try (KubeClient opened = access.open()) {
                assertTrue(opened.get(PODS, PROTOBUF).length > 0);
            }
            assertEquals(3, lines(runs));
        }
    }

    @Test
    @Timeout(60)
    void execPlugins_thatHang_areBounded_untilOneOfThemEnds() throws Exception {
        Path runs = Files.writeString(directory.resolve("runs"), "");
        Path answer = Files.writeString(directory.resolve("answer"), "");
        writePlugin("echo run >>" + runs + "\n" + waitsFor(answer), "first");
        AtomicLong clock = new AtomicLong();
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(directory, "", USER_WITH_PLUGIN);
            ClusterAccess access = ClusterAccess.of(kubeconfig, null, patience::get, clock::get);
            Files.delete(answer);
            patience.set(Duration.ofMillis(10));
            // The first run has already returned.
            for (int run = 2; run <= 5; run++) {
                int expected = run;
                assertThrows(ConfigurationException.class, access::open);
                Await.until(() -> lines(runs) == expected);
                clock.addAndGet(Duration.ofMinutes(5).toNanos());
            }
            patience.set(Duration.ofMillis(500));
            assertThrows(ConfigurationException.class, access::open);
            assertEquals(5, lines(runs), "three were given up, and one is waited for");
            writeAtOnce(answer, "");
            patience.set(Duration.ofSeconds(20));
            access.open().close();
            access.open().close();
            assertTrue(lines(runs) > 5);
        }
    }

    private static long lines(Path file) {
        try {
            return Files.readAllLines(file).size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void execPlugin_thatDoesNotAnswerAgain_holdsNoRequestUp() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "first");
        writePlugin(waitsFor(token), "$(cat " + token + ")");
        AtomicLong clock = new AtomicLong();
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            server.requireToken("first");
            Path kubeconfig = server.kubeconfig(directory, "", USER_WITH_PLUGIN);
            ClusterAccess access = ClusterAccess.of(kubeconfig, null, patience::get, clock::get);
            try (KubeClient client = access.open()) {
                Files.delete(token);
                patience.set(Duration.ofMillis(10));
                clock.addAndGet(Duration.ofMinutes(2).toNanos());
                assertTrue(client.get(PODS, PROTOBUF).length > 0);
                server.requireToken("second");
                assertThrows(ApiException.class, () -> client.get(PODS, PROTOBUF));
                assertThrows(ConfigurationException.class, access::open);
                writeAtOnce(token, "second");
                patience.set(Duration.ofHours(1));
                clock.addAndGet(Duration.ofMinutes(2).toNanos());
                assertTrue(client.get(PODS, PROTOBUF).length > 0);
            }
        }
    }

    @Test
    @Timeout(60)
    void feed_endsWhileAPluginDoesNotAnswer() throws Exception {
        Path runs = Files.writeString(directory.resolve("runs"), "");
        Path answer = Files.writeString(directory.resolve("answer"), "");
        writePlugin("echo run >>" + runs + "\n" + waitsFor(answer), "first");
        ScriptedApiServer server = ScriptedApiServer.start();
        server.requireToken("first");
        Path kubeconfig = server.kubeconfig(directory, "", USER_WITH_PLUGIN);
        ClusterAccess access = ClusterAccess.of(kubeconfig, null, patience::get, System::nanoTime);
        try (FollowedServer followed = new FollowedServer(server, access)) {
            followed.awaitAll();
            int before = Files.readAllLines(runs).size();
            Files.delete(answer);
            server.requireToken("second");
            breakWatch(followed, ObjectKind.POD);
            Await.until(() -> Files.readAllLines(runs).size() != before);
            followed.stopFeeding();
            assertTrue(followed.phases(ObjectKind.POD).contains(KindState.Phase.STOPPED));
        } finally {
            Files.writeString(answer, "");
        }
    }

    /** The client library parses a file that begins with a brace as JSON. */
    @Test
    void kubeconfig_inYamlThatBeginsWithABrace_isRefusedWithTheWayOut_whichWorks() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            String yaml = """
                    {apiVersion: v1, kind: Config, current-context: here,
                     contexts: [{name: here, context: {cluster: here, user: me}}],
                     clusters: [{name: here, cluster: {server: "%s"}}], users: [{name: me, user: {}}]}
                    """.formatted(server.url());
            Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), yaml);
            String refusal = refusal(kubeconfig, null);
            assertTrue(
                    refusal.startsWith("failed to read " + kubeconfig + ": ")
                            && refusal.endsWith("if it is YAML, put a line --- before its first brace"),
                    refusal);
            Files.writeString(kubeconfig, "---\n" + yaml);
            assertEquals(server.url(), ClusterAccess.of(kubeconfig, null).server());
        }
    }

    @Test
    void token_thatIsNotAccepted_isReported_andLeaksNowhere() throws Exception {
        ScriptedApiServer server = ScriptedApiServer.start();
        server.requireToken("first");
        Path kubeconfig = server.kubeconfig(directory, "", "token: hidden");
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            followed.awaitProblem(
                    ObjectKind.POD,
                    "returned 401: Unauthorized; the token or certificate of the kubeconfig or service account is"
                            + " invalid or expired");
            assertTrue(followed.states.stream()
                    .noneMatch(state -> String.valueOf(state.problem()).contains("hidden")));
            Files.writeString(kubeconfig, Files.readString(kubeconfig).replace("hidden", "first"));
            followed.awaitAll();
        }
    }

    @Test
    void clientCertificate_isShown_andTheServersIsChecked() throws Exception {
        file("server.crt");
        file("client.crt");
        file("client.key");
        ScriptedApiServer server = ScriptedApiServer.startWithTls(true);
        Path kubeconfig = server.kubeconfig(
                directory,
                ", certificate-authority: server.crt",
                "client-certificate: client.crt, client-key: client.key");
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            followed.awaitAll();
            followed.put(ObjectKind.POD, 1, 1);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @Test
    void execPlugin_mayGiveAClientCertificate_andIsRunAgain_whenItIsNotAccepted() throws Exception {
        file("server.crt");
        writePluginWithCertificate(text("server.crt"), keyOfTheServer());
        ScriptedApiServer server = ScriptedApiServer.startWithTls(true);
        Path kubeconfig = server.kubeconfig(directory, ", certificate-authority: server.crt", USER_WITH_PLUGIN);
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            followed.awaitProblem(ObjectKind.POD, server.url());
            writePluginWithCertificate(text("client.crt"), text("client.key"));
            followed.awaitAll();
        }
    }

    /** Writes the plugin that {@link #USER_WITH_PLUGIN} runs, with a certificate and its key as PEM. */
    private void writePluginWithCertificate(String certificate, String key) throws IOException {
        Path answer = Files.writeString(directory.resolve("credential"), """
                {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                 "status": {"clientCertificateData": "%s", "clientKeyData": "%s"}}
                """.formatted(
                        certificate.replace("\n", "\\n"), key.replace("\n", "\\n")));
        Path plugin = Files.writeString(directory.resolve("plugin"), "#!/bin/sh\ncat " + answer + "\n");
        Files.setPosixFilePermissions(plugin, PosixFilePermissions.fromString("rwx------"));
    }

    private static String text(String name) throws IOException {
        try (InputStream resource = ScriptedApiServer.resource(name)) {
            return new String(resource.readAllBytes(), StandardCharsets.US_ASCII).replace("\r", "");
        }
    }

    @Test
    void clientCertificate_thatCannotBeUsed_isReported_andReplacedWhileRunning() throws Exception {
        file("server.crt");
        Path certificate = Files.writeString(directory.resolve("client.crt"), "no certificate");
        Path key = Files.writeString(directory.resolve("client.key"), "no key");
        ScriptedApiServer server = ScriptedApiServer.startWithTls(true);
        Path kubeconfig = server.kubeconfig(
                directory,
                ", certificate-authority: server.crt",
                "client-certificate: client.crt, client-key: client.key");
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            followed.awaitProblem(ObjectKind.POD, "failed to load the certificates of " + kubeconfig + ": ");
            Files.writeString(certificate, text("client.crt"));
            Files.writeString(key, text("client.key"));
            followed.awaitAll();
        }
    }

    @Test
    void clientCertificate_thatIsNotAccepted_isReplacedWhileRunning() throws Exception {
        file("server.crt");
        Path certificate = Files.writeString(directory.resolve("client.crt"), text("server.crt"));
        Path key = Files.writeString(directory.resolve("client.key"), keyOfTheServer());
        ScriptedApiServer server = ScriptedApiServer.startWithTls(true);
        Path kubeconfig = server.kubeconfig(
                directory,
                ", certificate-authority: server.crt",
                "client-certificate: client.crt, client-key: client.key");
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            // The message varies, because the connection may end before the client has read the reason.
            followed.awaitProblem(ObjectKind.POD, server.url());
            Files.writeString(certificate, text("client.crt"));
            Files.writeString(key, text("client.key"));
            followed.awaitAll();
        }
    }

    /** The key of a certificate that the server does not accept from clients: the server's own. */
    private static String keyOfTheServer() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream resource = ScriptedApiServer.resource("server.p12")) {
            store.load(resource, ScriptedApiServer.PASSWORD);
        }
        Key key = store.getKey(store.aliases().nextElement(), ScriptedApiServer.PASSWORD);
        return "-----BEGIN PRIVATE KEY-----\n" + Base64.getEncoder().encodeToString(key.getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }

    @Test
    void foreignCertificate_isRefused_andTheRightOneIsFoundOnceTheConfigurationHasIt() throws Exception {
        Path authority = file("server.crt");
        Files.copy(file("client.crt"), authority, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        ScriptedApiServer server = ScriptedApiServer.startWithTls(false);
        Path kubeconfig = server.kubeconfig(directory, ", certificate-authority: server.crt", "");
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            followed.awaitProblem(ObjectKind.POD, "TLS handshake with https://127.0.0.1");
            file("server.crt");
            followed.awaitAll();
        }
    }

    @Test
    void proxyOfTheKubeconfig_carriesTheConnections() throws Exception {
        file("server.crt");
        ScriptedApiServer server = ScriptedApiServer.startWithTls(false);
        try (ConnectProxy proxy = new ConnectProxy()) {
            Path kubeconfig = server.kubeconfig(
                    directory, ", certificate-authority: server.crt, proxy-url: \"" + proxy.url() + "\"", "");
            try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
                followed.awaitAll();
                assertEquals(ObjectKind.ALL.size(), proxy.passed());
            }
        }
    }

    @Test
    void proxyOfTheEnvironment_carriesTheConnections() throws Exception {
        try (ConnectProxy proxy = new ConnectProxy()) {
            followBy(Map.of("https.proxy", proxy.url()), "");
            assertEquals(ObjectKind.ALL.size(), proxy.passed());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "example.org,127.0.0.1", "127.0.0.0/8"})
    void proxyOfTheEnvironment_isSkipped_forServersThatNeedNone(String none) throws Exception {
        try (ConnectProxy proxy = new ConnectProxy()) {
            followBy(Map.of("https.proxy", proxy.url(), "no.proxy", none), "");
            assertEquals(0, proxy.passed());
        }
    }

    @Test
    void proxyOfTheKubeconfig_comesBeforeThatOfTheEnvironment() throws Exception {
        try (ConnectProxy proxy = new ConnectProxy();
                ConnectProxy other = new ConnectProxy()) {
            followBy(Map.of("https.proxy", other.url()), ", proxy-url: \"" + proxy.url() + "\"");
            assertEquals(ObjectKind.ALL.size(), proxy.passed());
            assertEquals(0, other.passed());
        }
    }

    /** Like client-go: NO_PROXY only applies to proxies from the environment. */
    @Test
    void proxyOfTheKubeconfig_carriesTheConnections_alsoToServersThatNeedNoneByTheEnvironment() throws Exception {
        try (ConnectProxy proxy = new ConnectProxy()) {
            followBy(Map.of("no.proxy", "127.0.0.1"), ", proxy-url: \"" + proxy.url() + "\"");
            assertEquals(ObjectKind.ALL.size(), proxy.passed());
        }
    }

    /** The client library reads KUBERNETES_MASTER and KUBERNETES_AUTH_TOKEN, and would prefer them. */
    @Test
    void serverAndTokenOfTheKubeconfig_areUsed_whateverTheEnvironmentNames() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            server.requireToken("first");
            Path kubeconfig = server.kubeconfig(directory, "", "token: first");
            Map<String, @Nullable String> before = set(
                    Map.of("kubernetes.master", "http://127.0.0.1:1", "kubernetes.auth.token", "of the environment"));
            try (KubeClient client = ClusterAccess.of(kubeconfig, null).open()) {
                assertTrue(client.get(PODS, PROTOBUF).length > 0);
            } finally {
                restore(before);
            }
        }
    }

    @Test
    void proxyOfTheEnvironment_carriesTheConnectionsOfAPodToo() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "first");
        ScriptedApiServer server = ScriptedApiServer.startWithTls(false);
        Map<String, String> properties = serviceAccount(server, token);
        try (ConnectProxy proxy = new ConnectProxy()) {
            properties.put("https.proxy", proxy.url());
            Map<String, @Nullable String> before = set(properties);
            try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(null, null))) {
                followed.awaitAll();
                assertEquals(ObjectKind.ALL.size(), proxy.passed());
            } finally {
                restore(before);
            }
        }
    }

    /** Follows a server with TLS. The client library prefers these system properties to the environment. */
    private void followBy(Map<String, String> properties, String clusterFields) throws Exception {
        file("server.crt");
        ScriptedApiServer server = ScriptedApiServer.startWithTls(false);
        Path kubeconfig = server.kubeconfig(directory, ", certificate-authority: server.crt" + clusterFields, "");
        Map<String, @Nullable String> before = set(properties);
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(kubeconfig, null))) {
            followed.awaitAll();
        } finally {
            restore(before);
        }
    }

    private static Map<String, @Nullable String> set(Map<String, String> properties) {
        Map<String, @Nullable String> before = new HashMap<>();
        properties.forEach((name, value) -> before.put(name, System.setProperty(name, value)));
        return before;
    }

    private static void restore(Map<String, @Nullable String> before) {
        before.forEach((name, value) -> {
            if (value == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, value);
            }
        });
    }

    @Test
    void silentConnection_isTakenForDead_overTls() throws Exception {
        assertSilenceIsFound("");
    }

    @Test
    void silentConnection_isTakenForDead_throughAProxyOfSocks() throws Exception {
        try (ConnectProxy proxy = new ConnectProxy()) {
            assertSilenceIsFound(", proxy-url: \"" + proxy.socksUrl() + "\"");
            assertTrue(proxy.passed() > 6, "connections: " + proxy.passed());
        }
    }

    private void assertSilenceIsFound(String cluster) throws Exception {
        file("server.crt");
        ScriptedApiServer server = ScriptedApiServer.startWithTls(false);
        Path kubeconfig = server.kubeconfig(directory, ", certificate-authority: server.crt" + cluster, "");
        ClusterAccess access = ClusterAccess.of(kubeconfig, null).withSilence(Duration.ofSeconds(1));
        server.setSilent(ObjectKind.POD, true);
        try (FollowedServer followed = new FollowedServer(server, access)) {
            followed.awaitProblem(ObjectKind.POD, "timed out");
            server.setSilent(ObjectKind.POD, false);
            followed.awaitAll();
        }
    }

    private Map<String, String> serviceAccount(ScriptedApiServer server, Path token) throws IOException {
        return new HashMap<>(Map.of(
                "kubeconfig", directory.resolve("none").toString(),
                "KUBERNETES_SERVICE_HOST", "127.0.0.1",
                "KUBERNETES_SERVICE_PORT", Integer.toString(server.port()),
                "kubernetes.certs.ca.file", file("server.crt").toString(),
                "kubernetes.auth.serviceAccount.token", token.toString()));
    }

    @Test
    void serviceAccount_isUsedWithoutAKubeconfig_andItsTokenMayRotate() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "first");
        ScriptedApiServer server = ScriptedApiServer.startWithTls(false);
        server.requireToken("first");
        Map<String, @Nullable String> before = set(serviceAccount(server, token));
        try (FollowedServer followed = new FollowedServer(server, ClusterAccess.of(null, null))) {
            followed.awaitAll();
            Files.writeString(token, "second");
            server.requireToken("second");
            breakWatch(followed, ObjectKind.POD);
            followed.awaitAll();
        } finally {
            restore(before);
        }
    }

    @Test
    void configuration_thatNamesNoCluster_isRefusedWithWhatIsWrong() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(directory, "", "");
            assertEquals(server.url(), ClusterAccess.of(kubeconfig, "here").server());
            assertEquals("shop", ClusterAccess.of(kubeconfig, "here").namespace());
            assertEquals(kubeconfig + " has no context there; it has here", refusal(kubeconfig, "there"));
            Path none = directory.resolve("none");
            assertEquals("kubeconfig " + none + " does not exist or is not readable", refusal(none, null));
            Path text = Files.writeString(directory.resolve("text"), "{", StandardCharsets.UTF_8);
            assertTrue(refusal(text, null).startsWith("failed to read " + text + ": "));
            Path empty = Files.writeString(directory.resolve("empty"), "apiVersion: v1\nkind: Config\n");
            assertEquals(empty + " has no current context; name one", refusal(empty, null));
            Path plugin = server.kubeconfig(
                    directory, "", "exec: {apiVersion: client.authentication.k8s.io/v1, command: \"true\"}");
            assertEquals(
                    "the plugin true of the user me returned no credentials for client.authentication.k8s.io/v1;"
                            + " it must be installed, and work when run from a shell",
                    refusal(plugin, null));
            Path named = server.kubeconfig(directory, ", tls-server-name: other", "");
            assertTrue(refusal(named, null).startsWith("tls-server-name of " + named + " is not supported"));
            Path nothing = Files.writeString(directory.resolve("nothing"), "");
            assertEquals("failed to read " + nothing + ": it is not a kubeconfig", refusal(nothing, null));
            Path table = Files.writeString(directory.resolve("table"), "NAME   READY\nweb    1/1\n");
            assertEquals("failed to read " + table + ": it is not a kubeconfig", refusal(table, null));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "user: me | user: you | the context here of FILE names the user you, which does not exist",
                "cluster: here, user | cluster: there, user | the context here of FILE names the cluster there, which does not exist",
                "cluster: here, user | user | the context here of FILE names no cluster",
                "http://127 | http://a b:127 | server of FILE must be a URL with a host, was http://a b:127",
                "{server: | {proxy-url: '::::', server: | proxy-url of FILE must be a URL with a host, was ::::",
            })
    void kubeconfig_thatNamesWhatIsNotThere_isRefused(String text, String instead, String expected) throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(directory, "", "");
            String before = Files.readString(kubeconfig);
            assertTrue(before.contains(text), before);
            Files.writeString(kubeconfig, before.replace(text, instead));
            String said = refusal(kubeconfig, null);
            assertTrue(said.replace(kubeconfig.toString(), "FILE").startsWith(expected), said);
        }
    }

    @Test
    void passwordOfAUrl_isNotShown() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(directory, "", "");
            Files.writeString(kubeconfig, Files.readString(kubeconfig).replace("http://", "http://me:hidden@"));
            assertEquals(server.url(), ClusterAccess.of(kubeconfig, null).server());
        }
    }

    @Test
    void token_thatNoHeaderMayHave_isReported_andNotShown() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.start()) {
            Path kubeconfig = server.kubeconfig(directory, "", "token: \"hid\\nden\"");
            try (KubeClient client = ClusterAccess.of(kubeconfig, null).open()) {
                IOException refused = assertThrows(IOException.class, () -> client.get(PODS, PROTOBUF));
                assertEquals(
                        "failed to send the request: the URL must be valid, and the token must be one line of ASCII",
                        refused.getMessage());
            }
        }
    }

    private static String refusal(Path kubeconfig, @Nullable String context) {
        return String.valueOf(assertThrows(ConfigurationException.class, () -> ClusterAccess.of(kubeconfig, context))
                .getMessage());
    }

    @Test
    void client_getsAndPosts() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.start();
                KubeClient client = ClusterAccess.of(server.kubeconfig(directory, "", ""), null)
                        .open()) {
            server.put(ObjectKind.POD, "a", KubeWorld.object(ObjectKind.POD, 1, 1, server.nextVersion()));
            byte[] list = client.get(PODS, PROTOBUF);
            assertTrue(Envelope.isAt(list, 0, list.length));
            ApiException refused = assertThrows(
                    ApiException.class,
                    () -> client.post("/apis/none", "application/json", "{}".getBytes(StandardCharsets.UTF_8)));
            assertEquals(404, refused.status());
            assertEquals("no such path", refused.getMessage());
        }
    }
}
