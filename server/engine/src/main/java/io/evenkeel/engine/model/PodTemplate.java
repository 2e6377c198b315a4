package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.StringTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What an answer for a pod depends on in addition to its namespace and labels, as bytes. The engine stores equal
 * templates once and does not interpret them: only their writer does. Immutable.
 */
public final class PodTemplate {
    /** The template of a pod whose answer depends on nothing else. */
    public static final PodTemplate EMPTY = new PodTemplate(new byte[0]);

    private final byte[] bytes;
    private final int hash;

    private PodTemplate(byte[] bytes) {
        this.bytes = bytes;
        this.hash = KeyedHash.of(bytes, 0, bytes.length);
    }

    /** A copy of these bytes. */
    public static PodTemplate of(byte[] text, int from, int to) {
        return from == to ? EMPTY : new PodTemplate(Arrays.copyOfRange(text, from, to));
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    public int length() {
        return bytes.length;
    }

    /** Its id, or {@link StringTable#NONE} if nothing uses it. */
    public int find(StringTable strings) {
        return strings.find(bytes, 0, bytes.length, hash);
    }

    /**
     * Adds a use of it and returns its id.
     *
     * @throws io.evenkeel.engine.memory.CapacityException if there is no room for it; nothing is changed
     */
    public int acquire(StringTable strings) {
        return strings.acquire(bytes, 0, bytes.length, hash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PodTemplate template && hash == template.hash && Arrays.equals(bytes, template.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
