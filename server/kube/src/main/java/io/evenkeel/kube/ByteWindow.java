package io.evenkeel.kube;

/**
 * The received but unread bytes of a body. Not thread-safe.
 *
 * <pre>
 *   bytes  [ read … | from … to | free … ]
 * </pre>
 *
 * Bytes are appended to the free part. If it is too small, the unread bytes move to the front, and to a larger array if
 * necessary. The array never shrinks: it has room for the largest unread element so far.
 */
final class ByteWindow {
    private static final int FIRST_LENGTH = 1 << 14;

    private byte[] bytes = new byte[FIRST_LENGTH];
    private int from;
    private int to;

    /** Appends the bytes from {@code begin} up to {@code end}. */
    void append(byte[] more, int begin, int end) {
        int count = end - begin;
        if (count > bytes.length - to) {
            makeRoom(count);
        }
        System.arraycopy(more, begin, bytes, to, count);
        to += count;
    }

    private void makeRoom(int count) {
        int size = size();
        int needed = Math.addExact(size, count);
        byte[] target = bytes;
        if (needed > bytes.length) {
            target = new byte[(int) Math.min(Integer.MAX_VALUE - Long.BYTES, Math.max(needed, 2L * bytes.length))];
        }
        System.arraycopy(bytes, from, target, 0, size);
        bytes = target;
        from = 0;
        to = size;
    }

    /** The array that holds the unread bytes, from {@link #from}. Valid until the next {@link #append}. */
    byte[] bytes() {
        return bytes;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    /** How many bytes are unread. */
    int size() {
        return to - from;
    }

    /** Marks {@code count} bytes as read. */
    void skip(int count) {
        from += count;
        if (from == to) {
            from = 0;
            to = 0;
        }
    }
}
