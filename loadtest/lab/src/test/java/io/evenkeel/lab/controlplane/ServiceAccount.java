package io.evenkeel.lab.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The service account of Evenkeel in a control plane, with the documented permissions. */
final class ServiceAccount {
    private ServiceAccount() {}

    /**
     * Creates the account, and writes its kubeconfig.
     *
     * @param directory receives the file
     */
    static Path kubeconfig(ControlPlane plane, Path directory) throws IOException, InterruptedException {
        plane.kubectl("apply", "-f", "../../server/deploy/rbac.yaml");
        String token = plane.kubectl("create", "token", "evenkeel", "--namespace=evenkeel")
                .strip();
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: c
                clusters: [{name: c, cluster: {server: "%s", certificate-authority: "%s"}}]
                users: [{name: u, user: {token: "%s"}}]
                contexts: [{name: c, context: {cluster: c, user: u}}]
                """.formatted(
                        plane.apiServer(), plane.directory().resolve("ca.crt"), token));
    }
}
