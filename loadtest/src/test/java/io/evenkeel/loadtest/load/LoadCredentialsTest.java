package io.evenkeel.loadtest.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.CommandRun;
import io.evenkeel.loadtest.local.ServerUnderTest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests load on servers that authenticate callers, and on servers that listen on a socket. */
@Tag("long")
final class LoadCredentialsTest {
    private static final String PASSWORD = "for-this-test";

    @TempDir
    private Path directory = Path.of("");

    private static CommandRun load(String... more) {
        List<String> args = new ArrayList<>(List.of("load", "--warmup", "0", "--duration", "0.2", "--churn", "100"));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private Path pem(String file, String type, byte[] content) throws IOException {
        String lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        return Files.writeString(
                directory.resolve(file), "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n");
    }

    private KeyStore certificate() throws Exception {
        Path store = directory.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=server",
                        "-ext",
                        "san=ip:127.0.0.1",
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
        return made;
    }

    @Test
    void load_showsItsToken_overTls() throws Exception {
        KeyStore pair = certificate();
        Path certificate =
                pem("tls.crt", "CERTIFICATE", pair.getCertificate("server").getEncoded());
        Path key = pem(
                "tls.key",
                "PRIVATE KEY",
                pair.getKey("server", PASSWORD.toCharArray()).getEncoded());
        Path tokens = Files.writeString(directory.resolve("tokens"), "load a-token-of-this-test\n");
        Path token = Files.writeString(directory.resolve("token"), "a-token-of-this-test\n");
        Path wrong = Files.writeString(directory.resolve("wrong"), "another-token-of-this-test\n");
        try (ServerUnderTest server = ServerUnderTest.serve(
                "--warm-up=0",
                "--cluster=" + generated(),
                "--tls-cert=" + certificate,
                "--tls-key=" + key,
                "--tokens=" + tokens)) {
            String target = "--server=" + server.target();
            String authorities = "--ca=" + certificate;
            CommandRun known = load(target, authorities, "--token-file=" + token);
            assertEquals(0, known.exitCode(), () -> known.output() + known.errors());
            assertTrue(known.output().contains("events"), known::output);
            CommandRun unknown = load(target, authorities, "--token-file=" + wrong);
            assertEquals(2, unknown.exitCode());
            assertTrue(unknown.errors().contains("UNAUTHENTICATED"), unknown::errors);
            CommandRun plain = load(target);
            assertEquals(2, plain.exitCode());
            assertTrue(plain.errors().contains("UNAVAILABLE"), plain::errors);
        }
    }

    @Test
    void load_goesThroughASocket() throws Exception {
        Path socket = directory.resolve("evenkeel.sock");
        try (ServerUnderTest server =
                ServerUnderTest.serve("--warm-up=0", "--cluster=" + generated(), "--listen=unix:" + socket)) {
            assertTrue(server.target().startsWith("127.0.0.1:"));
            CommandRun run = load("--server=unix:" + socket);
            assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
        }
    }

    @Test
    void options_thatDoNotGoTogether_areNamed() throws IOException {
        CommandRun without = load("--ca=" + directory.resolve("ca.crt"));
        assertEquals(2, without.exitCode());
        assertTrue(without.errors().contains("--ca, --cert, --key and --token-file need --server"), without::errors);
        Path empty = Files.writeString(directory.resolve("empty"), "");
        CommandRun nothing = load("--server=127.0.0.1:1", "--ca=" + empty);
        assertEquals(2, nothing.exitCode());
        assertTrue(nothing.errors().contains("empty contains no PEM certificates"), nothing::errors);
    }

    /** The file of a small generated cluster. */
    private Path generated() {
        Path file = directory.resolve("cluster.json.gz");
        CommandRun run = CommandRun.of("bench", "cluster", "--nodes=30", "--pods=600", "--out=" + file);
        assertEquals(0, run.exitCode(), run::errors);
        return file;
    }
}
