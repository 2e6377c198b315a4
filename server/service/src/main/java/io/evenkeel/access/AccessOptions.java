package io.evenkeel.access;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files that authenticate the server and its callers. Without any, everyone may do everything.
 *
 * @param certificate the server's certificate chain, in PEM; null for plaintext connections
 * @param key its private key, in PEM
 * @param clientCa the CA certificates for client certificates, in PEM; null if clients have none
 * @param tokens names and tokens of callers; null if callers have none
 * @param rules the permissions; null if every authenticated caller may do everything
 * @param reviewer reviews tokens that are not in the file; null if only the file counts
 */
public record AccessOptions(
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path clientCa,
        @Nullable Path tokens,
        @Nullable Path rules,
        @Nullable TokenReviewer reviewer) {
    /** Plaintext, and everyone may do everything. */
    public static final AccessOptions NONE = new AccessOptions(null, null, null, null, null, null);

    public AccessOptions {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("--tls-cert and --tls-key must be given together");
        }
        if (clientCa != null && certificate == null) {
            throw new IllegalArgumentException("--client-ca needs --tls-cert");
        }
        if (reviewer != null && rules == null) {
            // Otherwise every pod of the cluster would have every right.
            throw new IllegalArgumentException("reviewing tokens with Kubernetes needs access rules");
        }
    }

    /** Options without token reviews. */
    public AccessOptions(
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable Path clientCa,
            @Nullable Path tokens,
            @Nullable Path rules) {
        this(certificate, key, clientCa, tokens, rules, null);
    }

    public AccessOptions withReviewer(TokenReviewer asked) {
        return new AccessOptions(certificate, key, clientCa, tokens, rules, asked);
    }

    /** Whether connections are encrypted. */
    public boolean isEncrypted() {
        return certificate != null;
    }

    /** Whether callers must authenticate. */
    public boolean isGuarded() {
        return clientCa != null || tokens != null || rules != null || reviewer != null;
    }
}
