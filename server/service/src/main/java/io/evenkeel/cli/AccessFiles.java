package io.evenkeel.cli;

import io.evenkeel.access.AccessOptions;
import io.evenkeel.kube.client.ClusterAccess;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for authentication and authorization. The files are reloaded when they change. */
final class AccessFiles {
    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description =
                    "The server's certificate chain, in PEM. All addresses except Unix sockets then accept only TLS."
                            + " The files of this and the next four options are reloaded when they change.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The private key of the certificate, in PEM.")
    private @Nullable Path key;

    @Option(
            names = "--client-ca",
            paramLabel = "FILE",
            description = "CA certificates for client certificates, in PEM.")
    private @Nullable Path clientCa;

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            description = "Bearer tokens of callers: lines of a name, white space and a token.")
    private @Nullable Path tokens;

    @Option(
            names = "--access",
            paramLabel = "FILE",
            description =
                    "Permissions in YAML: who may ask, reserve and feed (default: every authenticated"
                            + " caller may do everything, or everyone without authentication). Health checks need no permission.")
    private @Nullable Path rules;

    @Option(
            names = "--kube-tokens",
            paramLabel = "AUDIENCE",
            description =
                    "Also accept Kubernetes tokens issued for this audience, reviewed by the API server of --kube."
                            + " Needs --access, and permission to create tokenreviews.")
    private @Nullable String audience;

    /**
     * The files that the options name.
     *
     * @param followed the cluster given by --kube, or null
     */
    AccessOptions options(@Nullable ClusterAccess followed) {
        AccessOptions files = new AccessOptions(certificate, key, clientCa, tokens, rules);
        if (audience == null) {
            return files;
        }
        if (followed == null) {
            throw new IllegalArgumentException("--kube-tokens needs --kube");
        }
        if (audience.isEmpty() || rules == null) {
            throw new IllegalArgumentException("--kube-tokens needs an audience and --access");
        }
        return files.withReviewer(KubeTokens.of(followed, audience));
    }
}
