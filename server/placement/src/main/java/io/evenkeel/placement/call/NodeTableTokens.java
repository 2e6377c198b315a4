package io.evenkeel.placement.call;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Gives each node table a token that no other process gives out: random bytes of this process, and the revision of the
 * table. Safe for use by several threads.
 *
 * <pre>
 *   │ 16 random bytes in base64url │ . │ revision │
 * </pre>
 */
final class NodeTableTokens {
    private static final int RANDOM_BYTES = 16;

    private final String process;

    /** The token that was made last: the node table changes much less often than it is asked for. */
    private volatile Made last;

    private static final class Made {
        private final long revision;
        private final String token;
        private final byte[] encoded;

        Made(long revision, String token) {
            this.revision = revision;
            this.token = token;
            this.encoded = token.getBytes(StandardCharsets.UTF_8);
        }
    }

    NodeTableTokens() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        process = Base64.getUrlEncoder().withoutPadding().encodeToString(random) + ".";
        last = make(0);
    }

    private Made make(long revision) {
        return new Made(revision, process + revision);
    }

    String of(long revision) {
        return made(revision).token;
    }

    /** The token in UTF-8. The array must not be changed. */
    byte[] encoded(long revision) {
        return made(revision).encoded;
    }

    private Made made(long revision) {
        Made made = last;
        if (made.revision != revision) {
            made = make(revision);
            last = made;
        }
        return made;
    }
}
