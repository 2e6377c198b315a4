package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.access.AccessOptions;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.Listener;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ErrorReason;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which credentials a remote client sends, and which servers it trusts. */
final class RemoteCredentialsTest {
    private static final String PASSWORD = "for-this-test";

    @TempDir
    private Path directory = Path.of("");

    /** A self-signed certificate and its key. */
    private record Pair(Path certificate, Path key) {}

    private Pair pair(String name) throws Exception {
        Path store = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost",
                        "-storepass",
                        PASSWORD,
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertEquals(0, keytool.waitFor());
        KeyStore made = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store)) {
            made.load(file, PASSWORD.toCharArray());
        }
        return new Pair(
                pem(name + ".crt", "CERTIFICATE", made.getCertificate(name).getEncoded()),
                pem(
                        name + ".key",
                        "PRIVATE KEY",
                        made.getKey(name, PASSWORD.toCharArray()).getEncoded()));
    }

    private Path pem(String file, String type, byte[] content) throws IOException {
        String lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        return Files.writeString(
                directory.resolve(file), "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n");
    }

    @Test
    void client_showsACertificate_orATokenThatChanges() throws Exception {
        Pair server = pair("server");
        Pair client = pair("client");
        Path tokens =
                Files.writeString(directory.resolve("tokens"), "one first-token-of-tests\ntwo second-token-of-tests\n");
        Path rules = Files.writeString(
                directory.resolve("access.yaml"),
                "rules: [{certificate: client, may: [ask]}, {token: one, may: [ask]}, {token: two, may: [feed]}]");
        ServerOptions options = ServerOptions.onLoopback(0)
                .withAccess(new AccessOptions(server.certificate(), server.key(), client.certificate(), tokens, rules));
        try (EvenkeelServer started = EvenkeelServer.start(options)) {
            String target = "localhost:" + started.port();
            try (PlacementClient known = RemotePlacement.builder(target)
                    .mutualTls(server.certificate(), client.certificate(), client.key())
                    .build()) {
                assertEquals(0, known.status().getNodeCount());
            }
            AtomicReference<String> token = new AtomicReference<>("first-token-of-tests");
            try (PlacementClient known = RemotePlacement.builder(target)
                    .tls(server.certificate())
                    .token(token::get)
                    .build()) {
                assertEquals(0, known.status().getNodeCount());
                token.set("second-token-of-tests");
                assertFails(ErrorCode.PERMISSION_DENIED, ErrorReason.ERROR_REASON_RIGHT_MISSING, known);
                try (ClusterFeed feed = known.feed()) {
                    assertEquals(
                            4, feed.snapshot(ClientWorld.zones(1, 1).iterator()).applied());
                }
                token.set("third-token-of-tests");
                assertFails(ErrorCode.UNAUTHENTICATED, ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, known);
            }
            try (PlacementClient unknown =
                    RemotePlacement.builder(target).tls(server.certificate()).build()) {
                assertFails(ErrorCode.UNAUTHENTICATED, ErrorReason.ERROR_REASON_CREDENTIALS_MISSING, unknown);
            }
            try (PlacementClient mistrusting = RemotePlacement.builder(target)
                    .tls(client.certificate())
                    .attempts(1)
                    .build()) {
                assertFails(ErrorCode.UNAVAILABLE, ErrorReason.ERROR_REASON_UNSPECIFIED, mistrusting);
            }
        }
    }

    private static void assertFails(ErrorCode code, ErrorReason reason, PlacementClient client) {
        PlacementException failed = assertThrows(PlacementException.class, client::status);
        assertEquals(code, failed.code(), failed.toString());
        assertEquals(reason, failed.reason(), failed.toString());
    }

    @Test
    void client_comesThroughASocket() throws Exception {
        Path socket = directory.resolve("e.sock");
        ServerOptions options = ServerOptions.onLoopback(0)
                .withListeners(new Listener.Unix(socket, PosixFilePermissions.fromString("rw-------")));
        Queue<String> warnings = new ConcurrentLinkedQueue<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
                    warnings.add(line.getLoggerName() + ": " + line.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger root = Logger.getLogger("");
        root.addHandler(handler);
        try (EvenkeelServer started = EvenkeelServer.start(options);
                PlacementClient client = RemotePlacement.connect("unix:" + socket)) {
            assertEquals(1, started.listeners().size());
            assertEquals(0, client.status().getNodeCount());
        } finally {
            root.removeHandler(handler);
        }
        assertEquals(List.of(), List.copyOf(warnings));
    }

    @Test
    void socketIfNoOneListens_isNamed() throws Exception {
        Path socket = directory.resolve("none.sock");
        assertEquals("io exception: the socket file does not exist", failureAt(socket));
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(socket));
        }
        assertEquals("connection refused by " + socket, failureAt(socket));
    }

    private static String failureAt(Path socket) {
        try (PlacementClient client =
                RemotePlacement.builder("unix:" + socket).attempts(1).build()) {
            return assertThrows(PlacementException.class, client::status).description();
        }
    }

    @Test
    void fileThatIsMissing_isNamed() {
        Path none = directory.resolve("none.crt");
        IOException missing = assertThrows(
                IOException.class, () -> RemotePlacement.builder("localhost:1").tls(none));
        assertTrue(String.valueOf(missing.getMessage()).contains(none.toString()), missing.toString());
    }
}
