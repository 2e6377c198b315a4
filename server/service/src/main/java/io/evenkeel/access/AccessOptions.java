package io.evenkeel.access;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * By what the server is known to callers, and callers to the server: files. A server without any lets everyone do
 * everything.
 *
 * @param certificate the server's certificate and those above it, in PEM; null for connections in the clear
 * @param key its private key, in PEM
 * @param clientCa the certificates of those who issue certificates to clients, in PEM; null where clients have none
 * @param tokens names and tokens of callers; null where callers have none
 * @param rules who may do what; null where everyone who is known may do everything
 * @param reviewer whom to ask about tokens that are not in the file; null where nobody is asked
 */
public record AccessOptions(
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path clientCa,
        @Nullable Path tokens,
        @Nullable Path rules,
        @Nullable TokenReviewer reviewer) {
    /** Everyone may do everything, in the clear. */
    public static final AccessOptions NONE = new AccessOptions(null, null, null, null, null, null);

    public AccessOptions {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("a certificate and its key must be given together");
        }
        if (clientCa != null && certificate == null) {
            throw new IllegalArgumentException("client certificates need a certificate of the server");
        }
        if (reviewer != null && rules == null) {
            // Otherwise any pod of the cluster had every right.
            throw new IllegalArgumentException("tokens that Kubernetes knows need rules");
        }
    }

    /** Without asking anybody about tokens. */
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

    /** Whether callers must show who they are. */
    public boolean isGuarded() {
        return clientCa != null || tokens != null || rules != null || reviewer != null;
    }
}
