package io.evenkeel.lab.kube;

import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.loadtest.local.ManagedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The certificates, the tokens and the rules of servers and their clients, in files that are replaced while they run.
 *
 * <pre>
 *   ca.crt of the control plane ──► server.crt, server.key                   replaced
 *   client-1/ca.crt             ──► client-1/tls.crt, client-1/tls.key
 *   client-2/ca.crt             ──► client-2/tls.crt, client-2/tls.key       ◄── client, a link
 *       └── client-ca.crt, which servers read; it also has the previous one for a while
 * </pre>
 *
 * Callers have a token. Those that often open connections also have the certificate, and the Go feeder has only that.
 */
final class RotatedCredentials {
    /** Servers read their files once a second, and use what they have read twice. */
    private static final long READ_WITHIN_SECONDS = 3;

    private final ControlPlane plane;
    private final Path directory;
    private int tokens;
    private int clients;
    private volatile String token;

    /** @param directory for the files */
    RotatedCredentials(ControlPlane plane, Path directory) throws IOException, InterruptedException {
        this.plane = plane;
        this.directory = directory;
        token = newToken();
        replace("tokens", line(token));
        replaceCertificate();
        use(newClient());
        replace("client-ca.crt", authority(client()));
        replace("access.yaml", """
                rules:
                - {certificate: client, may: [ask, reserve, feed]}
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
                file("client-ca.crt"),
                "--tokens",
                file("tokens"),
                "--access",
                file("access.yaml"));
    }

    /** The authority of the servers' certificates. */
    Path authority() {
        return plane.directory().resolve("ca.crt");
    }

    /** The directory with the certificate and the key that clients have now: {@code tls.crt} and {@code tls.key}. */
    Path client() {
        return directory.resolve("client");
    }

    /** Makes connections show the certificate that clients have now. */
    RemotePlacement.Builder identified(RemotePlacement.Builder connection) throws IOException {
        Path now = client().toRealPath();
        return connection.mutualTls(authority(), now.resolve("tls.crt"), now.resolve("tls.key"));
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
     * Gives clients another certificate, of another authority. Servers accept both for now, so that clients can connect
     * again.
     */
    void replaceClient() throws IOException, InterruptedException {
        Path next = newClient();
        replace("client-ca.crt", authority(client()) + authority(next));
        TimeUnit.SECONDS.sleep(READ_WITHIN_SECONDS);
        use(next);
    }

    /** Makes servers accept only the current certificate of clients. */
    void rejectOldClients() throws IOException, InterruptedException {
        replace("client-ca.crt", authority(client()));
        TimeUnit.SECONDS.sleep(READ_WITHIN_SECONDS);
    }

    private static String authority(Path client) throws IOException {
        return Files.readString(client.resolve("ca.crt"));
    }

    private Path newClient() throws IOException, InterruptedException {
        clients++;
        Path issued = Files.createDirectory(directory.resolve("client-" + clients));
        Path authority = issued.resolve("ca");
        create(authority, "clients");
        create(issued.resolve("tls"), "client", "-CA", authority + ".crt", "-CAkey", authority + ".key");
        return issued;
    }

    /** Changes the link, as Kubernetes does when it updates a volume. */
    private void use(Path next) throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("client.new"), next);
        Files.move(link, client(), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Replaces the servers' certificate and its key.
     *
     * @return the certificate's serial number, in hexadecimal
     */
    String replaceCertificate() throws IOException, InterruptedException {
        create(
                directory.resolve("new"),
                "evenkeel",
                "-CA",
                authority().toString(),
                "-CAkey",
                plane.directory().resolve("ca.key").toString(),
                "-addext",
                "subjectAltName=IP:127.0.0.1");
        Files.move(directory.resolve("new.key"), directory.resolve("server.key"), StandardCopyOption.ATOMIC_MOVE);
        Files.move(directory.resolve("new.crt"), directory.resolve("server.crt"), StandardCopyOption.ATOMIC_MOVE);
        return serial(
                ManagedProcess.output(List.of("openssl", "x509", "-noout", "-serial", "-in", file("server.crt"))));
    }

    /**
     * Creates a key and a certificate.
     *
     * @param name the files without {@code .key} and {@code .crt}
     * @param issuer the options that name an authority; without them, the certificate is that of a new one
     */
    private static void create(Path name, String subject, String... issuer) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-subj",
                "/CN=" + subject,
                "-days",
                "30",
                "-keyout",
                name + ".key",
                "-out",
                name + ".crt"));
        command.addAll(List.of(issuer));
        String unused = ManagedProcess.output(command);
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
