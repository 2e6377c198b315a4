package io.evenkeel.engine;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Names as bytes, one after another, found by where they begin; a name costs its bytes and two.
 *
 * <pre>
 *   [ length, 2 bytes | UTF-8 bytes | length | UTF-8 bytes | … ]
 * </pre>
 *
 * Dropped names leave garbage; when it is more than half, the owner copies the live ones ({@link #isSparse}, {@link #copyTo}).
 */
final class NameStore {
    static final int MAX_BYTES = 0xFFFF;

    private byte[] bytes = new byte[256];
    private int end;
    private int garbage;

    /** Where the name now begins. */
    int add(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        if (text.length > MAX_BYTES) {
            throw new IllegalArgumentException("a name must have at most " + MAX_BYTES + " bytes, had " + text.length);
        }
        int at = reserve(text.length + 2);
        bytes[at] = (byte) (text.length >>> 8);
        bytes[at + 1] = (byte) text.length;
        System.arraycopy(text, 0, bytes, at + 2, text.length);
        return at;
    }

    String get(int at) {
        return new String(bytes, at + 2, length(at), StandardCharsets.UTF_8);
    }

    boolean is(int at, byte[] text) {
        int length = length(at);
        return Arrays.equals(bytes, at + 2, at + 2 + length, text, 0, text.length);
    }

    int hash(int at) {
        return hash(bytes, at + 2, at + 2 + length(at));
    }

    /** The same as {@link #hash} of a stored name with these bytes. */
    static int hash(byte[] text) {
        return hash(text, 0, text.length);
    }

    /** FNV-1a: names that differ in their last few characters must not meet, as they would in a sum of small multiples. */
    private static int hash(byte[] text, int from, int to) {
        int hash = 0x811C9DC5;
        for (int i = from; i < to; i++) {
            hash = (hash ^ text[i]) * 0x01000193;
        }
        return hash;
    }

    void drop(int at) {
        garbage += length(at) + 2;
    }

    boolean isSparse() {
        return garbage > 4096 && garbage > end / 2;
    }

    /** Copies one name to another store, and says where it begins there. */
    int copyTo(NameStore other, int at) {
        int length = length(at) + 2;
        int to = other.reserve(length);
        System.arraycopy(bytes, at, other.bytes, to, length);
        return to;
    }

    private int length(int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }

    private int reserve(int length) {
        int at = end;
        end = Math.addExact(end, length);
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int)
                    Math.min(Integer.MAX_VALUE - 8, Math.max(end, bytes.length + (bytes.length >>> 1) + 1L)));
        }
        return at;
    }
}
