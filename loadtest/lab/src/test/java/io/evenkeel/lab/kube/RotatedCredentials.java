package io.evenkeel.lab.kube;

import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.loadtest.local.ManagedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The certificate, the tokens and the rules of servers, in files that are replaced while the servers run. Callers have
 * a token; feeders have the certificate of the control plane's administrator.
 */
final class RotatedCredentials {
    /** Servers read their files once a second, and use what they have read twice. */
    private static final long READ_WITHIN_SECONDS = 3;

    private final ControlPlane plane;
    private final Path directory;
    private int tokens;
    private volatile String token;

    /** @param directory for the files */
    RotatedCredentials(ControlPlane plane, Path directory) throws IOException, InterruptedException {
        this.plane = plane;
        this.directory = directory;
        token = newToken();
        replace("tokens", line(token));
        replaceCertificate();
        replace("access.yaml", """
                rules:
                - {certificate: admin, may: [feed]}
                - {token: caller-0, may: [ask, reserve, feed]}
                - {token: caller-1, may: [ask, reserve, feed]}
                - {socket: '%s', may: [feed]}
                - {socket: '%s', may: [feed]}
                """.formatted(socket("following"), socket("fed")));
    }

    /** A server's socket, for a plain list. */
    Path socket(String server) {
        return directory.resolve(server);
    }

    /** The options of a server. */
    List<String> options(String server) {
        return List.of(
                "--listen",
                "unix:" + socket(server),
                "--tls-cert",
                file("server.crt"),
                "--tls-key",
                file("server.key"),
                "--client-ca",
                authority().toString(),
                "--tokens",
                file("tokens"),
                "--access",
                file("access.yaml"));
    }

    /** The authority of the servers' certificates, and of the administrator's. */
    Path authority() {
        return plane.directory().resolve("ca.crt");
    }

    /** The token that servers accept now. */
    String token() {
        return token;
    }

    /** Replaces the token. Both are accepted for a while, so that no caller is rejected. */
    void replaceToken() throws IOException, InterruptedException {
        String next = newToken();
        String before = line(token);
        tokens++;
        replace("tokens", before + line(next));
        TimeUnit.SECONDS.sleep(READ_WITHIN_SECONDS);
        token = next;
        TimeUnit.SECONDS.sleep(READ_WITHIN_SECONDS);
        replace("tokens", line(next));
        TimeUnit.SECONDS.sleep(READ_WITHIN_SECONDS);
    }

    private String line(String value) {
        return "caller-" + tokens % 2 + ' ' + value + '\n';
    }

    private static String newToken() throws IOException, InterruptedException {
        return ManagedProcess.output(List.of("openssl", "rand", "-hex", "24")).strip();
    }

    /**
     * Replaces the certificate and its key.
     *
     * @return the certificate's serial number, in hexadecimal
     */
    String replaceCertificate() throws IOException, InterruptedException {
        String unused = ManagedProcess.output(List.of(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-CA",
                authority().toString(),
                "-CAkey",
                plane.directory().resolve("ca.key").toString(),
                "-subj",
                "/CN=evenkeel",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-days",
                "30",
                "-keyout",
                file("new.key"),
                "-out",
                file("new.crt")));
        Files.move(directory.resolve("new.key"), directory.resolve("server.key"), StandardCopyOption.ATOMIC_MOVE);
        Files.move(directory.resolve("new.crt"), directory.resolve("server.crt"), StandardCopyOption.ATOMIC_MOVE);
        return serial(
                ManagedProcess.output(List.of("openssl", "x509", "-noout", "-serial", "-in", file("server.crt"))));
    }

    /** The serial number of the certificate that a server presents. */
    String presented(String target) throws IOException, InterruptedException {
        return serial(ManagedProcess.output(List.of(
                "sh",
                "-c",
                "openssl s_client -connect " + target + " </dev/null 2>/dev/null | openssl x509 -noout -serial")));
    }

    private static String serial(String line) {
        return line.strip().substring(line.indexOf('=') + 1);
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private void replace(String name, String content) throws IOException {
        Path written = Files.writeString(directory.resolve(name + ".new"), content);
        Files.move(written, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
}
