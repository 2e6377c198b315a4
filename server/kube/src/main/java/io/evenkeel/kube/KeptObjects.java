package io.evenkeel.kube;

/**
 * Keeps the bytes of objects until they are applied, since those of a list are gone before. Not safe for use by several
 * threads.
 *
 * <pre>
 *   bytes  [ objects … | free … ]
 * </pre>
 *
 * Where the free part is too small, a new array follows: objects that were added before stay in theirs, to which their
 * changes refer.
 */
final class KeptObjects {
    private static final int FIRST_LENGTH = 1 << 14;
    private static final byte[] NOTHING = {};

    private byte[] bytes = NOTHING;
    private int end;
    private int size;

    /** Adds an object; returns where it begins in {@link #bytes}. */
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

    /** The array that holds the object that was added last. */
    byte[] bytes() {
        return bytes;
    }

    /** How many bytes were added. */
    int size() {
        return size;
    }

    /** Drops all objects: their bytes are written over. */
    void clear() {
        end = 0;
        size = 0;
    }

    /** Drops all objects, and the memory that they had. */
    void release() {
        clear();
        bytes = NOTHING;
    }
}
