package io.evenkeel.access;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a file and their names. Only hashes are kept, salted with random bytes of this process, so that the
 * time of a comparison reveals nothing about a token. Immutable.
 */
final class TokenList {
    static final TokenList EMPTY = new TokenList(Map.of());

    /** Shorter ones could be guessed. */
    private static final int MIN_CHARACTERS = 16;

    private static final int MAX_TOKENS = 1_000;
    private static final int SALT_BYTES = 32;
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/=-]+");
    private static final byte[] SALT = salt();

    /** Name ─► hash of the token. */
    private final Map<String, byte[]> tokens;

    private TokenList(Map<String, byte[]> tokens) {
        this.tokens = tokens;
    }

    private static byte[] salt() {
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return salt;
    }

    /** Reads lines of a name and a token, separated by white space. Lines that begin with # are comments. */
    static TokenList read(byte[] file) throws FileFormatException {
        Map<String, byte[]> tokens = new LinkedHashMap<>();
        List<String> lines = new String(file, StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (tokens.size() == MAX_TOKENS) {
                // Checked before comparing with all others, which is slow for very large files.
                throw new FileFormatException(i + 1, "there must be at most " + MAX_TOKENS + " tokens");
            }
            // Errors must not show the line: it may be a token alone.
            String[] parts = line.split("\\s+", -1);
            if (parts.length != 2) {
                throw new FileFormatException(i + 1, "must be a name and a token, separated by white space");
            }
            if (!TOKEN.matcher(parts[1]).matches() || parts[1].length() < MIN_CHARACTERS) {
                throw new FileFormatException(
                        i + 1,
                        "the token must have at least " + MIN_CHARACTERS
                                + " characters, only letters, digits and ._~+/=-");
            }
            if (tokens.containsKey(parts[0])) {
                throw new FileFormatException(i + 1, "the name is already used in an earlier line");
            }
            byte[] hash = hash(parts[1]);
            if (tokens.values().stream().anyMatch(earlier -> MessageDigest.isEqual(earlier, hash))) {
                throw new FileFormatException(i + 1, "the token is already used in an earlier line");
            }
            tokens.put(parts[0], hash);
        }
        return new TokenList(tokens);
    }

    /** The salted hash of a token. */
    static byte[] hash(String token) {
        return Hashing.sha256()
                .newHasher()
                .putBytes(SALT)
                .putString(token, StandardCharsets.UTF_8)
                .hash()
                .asBytes();
    }

    /** The name of the token with that hash, or null. Takes constant time. */
    @Nullable
    String name(byte[] hash) {
        String name = null;
        for (Map.Entry<String, byte[]> each : tokens.entrySet()) {
            if (MessageDigest.isEqual(each.getValue(), hash)) {
                name = each.getKey();
            }
        }
        return name;
    }
}
