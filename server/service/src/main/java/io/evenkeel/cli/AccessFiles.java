package io.evenkeel.cli;

import io.evenkeel.access.AccessOptions;
import io.evenkeel.kube.ClusterAccess;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say who may do what. The files are read again when they change. */
final class AccessFiles {
    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "The server's certificate and those above it, in PEM. All addresses but sockets then take TLS"
                    + " only. Files of this and the next four options are read again when they change.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The private key of the certificate, in PEM.")
    private @Nullable Path key;

    @Option(
            names = "--client-ca",
            paramLabel = "FILE",
            description = "Callers may show certificates that these have issued, in PEM.")
    private @Nullable Path clientCa;

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            description = "Callers may show bearer tokens: lines of a name, white space and a token.")
    private @Nullable Path tokens;

    @Option(
            names = "--access",
            paramLabel = "FILE",
            description = "Who may ask, reserve, feed and operate, in YAML (default: who shows a certificate or a token"
                    + " may do everything, and everyone where neither is asked for). Health is open to all.")
    private @Nullable Path rules;

    @Option(
            names = "--kube-tokens",
            paramLabel = "AUDIENCE",
            description = "Callers may show tokens that the API server of --kube knows, and that were issued for this"
                    + " audience. Needs --access, and the right to create tokenreviews.")
    private @Nullable String audience;

    /**
     * The files that the options name.
     *
     * @param followed the cluster of --kube, or null
     */
    AccessOptions options(@Nullable ClusterAccess followed) {
        AccessOptions files = files();
        if (audience == null) {
            return files;
        }
        if (followed == null) {
            throw new IllegalArgumentException("--kube-tokens goes with --kube");
        }
        if (audience.isEmpty() || rules == null) {
            throw new IllegalArgumentException("--kube-tokens needs an audience, and --access");
        }
        return files.withReviewer(KubeTokens.of(followed, audience));
    }

    private AccessOptions files() {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("--tls-cert and --tls-key must be given together");
        }
        if (clientCa != null && certificate == null) {
            throw new IllegalArgumentException("--client-ca needs --tls-cert");
        }
        return new AccessOptions(certificate, key, clientCa, tokens, rules);
    }
}
