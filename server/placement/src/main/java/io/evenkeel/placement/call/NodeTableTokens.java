package io.evenkeel.placement.call;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Gives each node table a token that is unique across instances: random bytes chosen by this instance, and the revision
 * of the table. Thread-safe.
 *
 * <pre>
 *   │ 16 random bytes in base64url │ . │ revision │
 * </pre>
 */
public final class NodeTableTokens {
    /** The revision returned for tokens of other instances and for invalid ones. No table has it. */
    public static final long FOREIGN = -1;

    private static final int RANDOM_BYTES = 16;
    private static final int DECIMAL = 10;

    private final String process;

    /** The most recent token. The node table changes much less often than its token is requested. */
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

    public NodeTableTokens() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        process = Base64.getUrlEncoder().withoutPadding().encodeToString(random) + ".";
        last = make(0);
    }

    private Made make(long revision) {
        return new Made(revision, process + revision);
    }

    /** The token of the node table with this revision, which is at least 0. */
    public String of(long revision) {
        return made(revision).token;
    }

    /** The same token in UTF-8. Do not modify the array. */
    public byte[] encoded(long revision) {
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

    /** The revision of the node table with a token, or {@link #FOREIGN}. */
    public long revision(String token) {
        Made made = last;
        if (made.token.equals(token)) {
            return made.revision;
        }
        if (!token.startsWith(process)) {
            return FOREIGN;
        }
        try {
            long revision = Long.parseLong(token, process.length(), token.length(), DECIMAL);
            // A table has exactly one token, so another spelling of the same number is foreign.
            return revision >= 0 && token.equals(process + revision) ? revision : FOREIGN;
        } catch (NumberFormatException e) {
            return FOREIGN;
        }
    }
}
