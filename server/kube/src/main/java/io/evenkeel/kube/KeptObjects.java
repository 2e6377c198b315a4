package io.evenkeel.kube;

/**
 * Keeps the bytes of listed objects until they are applied, because the reader reuses its buffer before that. Not
 * thread-safe.
 *
 * <pre>
 *   bytes  [ objects … | free … ]
 * </pre>
 *
 * If the free part is too small, a new array is used. Earlier objects stay in their array, because their changes refer
 * to it.
 */
final class KeptObjects {
    private static final int FIRST_LENGTH = 1 << 14;
    private static final byte[] NOTHING = {};

    private byte[] bytes = NOTHING;
    private int end;
    private int size;

    /** Adds an object and returns its offset in {@link #bytes}. */
    int add(byte[] source, int from, int to) {
        int length = to - from;
        if (length > bytes.length - end) {
            bytes = new byte[Math.max(length, Math.max(FIRST_LENGTH, 2 * bytes.length))];
            end = 0;
        }
        int at = end;
        System.arraycopy(source, from, bytes, at, length);
        end += length;
        size += length;
        return at;
    }

    /** The array that holds the most recently added object. */
    byte[] bytes() {
        return bytes;
    }

    /** How many bytes were added. */
    int size() {
        return size;
    }

    /** Drops all objects. Their bytes will be overwritten. */
    void clear() {
        end = 0;
        size = 0;
    }

    /** Drops all objects and releases their memory. */
    void release() {
        clear();
        bytes = NOTHING;
    }
}
