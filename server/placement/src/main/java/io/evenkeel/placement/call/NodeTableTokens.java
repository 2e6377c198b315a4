package io.evenkeel.placement.call;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Gives each node table of an instance a token that no other instance gives out: random bytes of this one, and the
 * revision of the table. Safe for use by several threads.
 *
 * <pre>
 *   │ 16 random bytes in base64url │ . │ revision │
 * </pre>
 */
public final class NodeTableTokens {
    /** The revision of a token that is of another instance, or of none. No table has it. */
    public static final long FOREIGN = -1;

    private static final int RANDOM_BYTES = 16;
    private static final int DECIMAL = 10;

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

    public NodeTableTokens() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        process = Base64.getUrlEncoder().withoutPadding().encodeToString(random) + ".";
        last = make(0);
    }

    private Made make(long revision) {
        return new Made(revision, process + revision);
    }

    /** The token of the node table with that revision, which is at least 0. */
    public String of(long revision) {
        return made(revision).token;
    }

    /** The same token in UTF-8. The array must not be changed. */
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
            // One table has one token: another way to write the same number is none of ours.
            return revision >= 0 && token.equals(process + revision) ? revision : FOREIGN;
        } catch (NumberFormatException e) {
            return FOREIGN;
        }
    }
}
