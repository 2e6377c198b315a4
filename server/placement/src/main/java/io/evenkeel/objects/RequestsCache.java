package io.evenkeel.objects;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Caches the requests of recent pods by the bytes that they depend on; see {@link RequestsScanner}. A new entry
 * overwrites the previous one in its slot. Thread-safe without a lock, like {@link TemplateCache}.
 */
final class RequestsCache {
    private static final int PLACES = 1 << 14;
    private static final int LONGEST_KEY = 4 << 10;

    private final @Nullable Known[] known = new Known[PLACES];

    private static final class Known {
        private final byte[] key;
        private final ScannedRequests requests;

        Known(byte[] key, ScannedRequests requests) {
            this.key = key;
            this.requests = requests;
        }
    }

    /**
     * The requests that were read from the same bytes, or null.
     *
     * @param hash a keyed hash of the bytes
     */
    @Nullable
    ScannedRequests find(int hash, byte[] key, int length) {
        Known there = known[place(hash)];
        return there != null && Arrays.equals(there.key, 0, there.key.length, key, 0, length) ? there.requests : null;
    }

    void put(int hash, byte[] key, int length, ScannedRequests requests) {
        if (length <= LONGEST_KEY) {
            known[place(hash)] = new Known(Arrays.copyOf(key, length), requests);
        }
    }

    private static int place(int hash) {
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
