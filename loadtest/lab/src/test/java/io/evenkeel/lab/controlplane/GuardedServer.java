package io.evenkeel.lab.controlplane;

import io.evenkeel.loadtest.local.ServerUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts a server with TLS and a socket. It authorizes the administrator of a control plane by certificate, holders of
 * a token, and callers through the socket.
 */
final class GuardedServer {
    private GuardedServer() {}

    /**
     * @param plane the control plane whose certificates it uses
     * @param rights the permissions of all three, in the access file's format: {@code ask, feed}
     * @param directory a directory for its files
     * @param options further command-line options
     */
    static ServerUnderTest start(
            ControlPlane plane, Path socket, String token, String rights, Path directory, String... options)
            throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), "go " + token + "\n");
        Path rules = Files.writeString(directory.resolve("access.yaml"), """
                rules:
                - {certificate: admin, may: [%s]}
                - {token: go, may: [%s]}
                - {socket: %s, may: [%s]}
                """.formatted(rights, rights, socket, rights));
        List<String> all = new ArrayList<>(List.of(
                "--listen",
                "unix:" + socket,
                "--tls-cert",
                plane.directory().resolve("apiserver.crt").toString(),
                "--tls-key",
                plane.directory().resolve("apiserver.key").toString(),
                "--client-ca",
                plane.directory().resolve("ca.crt").toString(),
                "--tokens",
                tokens.toString(),
                "--access",
                rules.toString()));
        all.addAll(List.of(options));
        return ServerUnderTest.serve(all.toArray(String[]::new));
    }
}
