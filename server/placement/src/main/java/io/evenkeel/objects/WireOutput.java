package io.evenkeel.objects;

import com.google.protobuf.MessageLite;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the protobuf wire format to a growing array. A nested message is written between {@link #open} and
 * {@link #close}. Room is reserved for its length, which is written last:
 *
 * <pre>
 *   … │ tag │ length │ body … │
 *           ^room    ^body    ^size
 * </pre>
 *
 * <p>Fields that are zero, false or empty are not written, as in proto3. Not thread-safe.
 */
public final class WireOutput {
    private static final int MAX_VARINT_BYTES = 10;
    private static final int DEEPEST = 8;
    private static final int LARGEST_KEPT = 1 << 20;

    private byte[] bytes = new byte[1 << 10];
    private int size;
    private final int[] rooms = new int[DEEPEST];
    private final int[] bodies = new int[DEEPEST];
    private int depth;

    /** Discards everything. */
    public void clear() {
        size = 0;
        depth = 0;
    }

    public int size() {
        return size;
    }

    /** Discards everything from {@code from} on. */
    public void cutTo(int from) {
        size = from;
    }

    /** Moves everything from {@code from} on to {@code at}, and overwrites what is there. Returns the new end. */
    public int moveTo(int at, int from) {
        System.arraycopy(bytes, from, bytes, at, size - from);
        int end = at + size - from;
        size = from;
        return end;
    }

    /** True if the array is small enough to be kept for the next response. */
    public boolean isWorthKeeping() {
        return bytes.length <= LARGEST_KEPT;
    }

    /** The bytes written, up to {@link #size}. Further writes may replace the array. */
    public byte[] array() {
        return bytes;
    }

    public void number(int field, long value) {
        if (value != 0) {
            varint(WireCursor.varint(field));
            varint(value);
        }
    }

    public void text(int field, String value) {
        text(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** A string field, from its UTF-8 bytes. */
    public void text(int field, byte[] encoded) {
        int at = bytes(field, encoded.length);
        System.arraycopy(encoded, 0, bytes, at, encoded.length);
    }

    /** An entry of a repeated string field, from its UTF-8 bytes. Written even if empty. */
    public void entry(int field, byte[] encoded) {
        varint(WireCursor.delimited(field));
        varint(encoded.length);
        append(encoded, 0, encoded.length);
    }

    /** A field of {@code length} bytes. Returns the position in {@link #array} at which the caller must write them. */
    public int bytes(int field, int length) {
        if (length == 0) {
            return size;
        }
        varint(WireCursor.delimited(field));
        varint(length);
        ensure(length);
        int at = size;
        size += length;
        return at;
    }

    public void message(int field, MessageLite message) {
        open(field, message.getSerializedSize());
        append(message);
        close();
    }

    /** The fields of a message, without a tag. */
    public void append(MessageLite message) {
        byte[] encoded = message.toByteArray();
        append(encoded, 0, encoded.length);
    }

    /** Fields that were written to another output. */
    public void append(WireOutput fields) {
        append(fields.bytes, 0, fields.size);
    }

    /** Bytes that are fields, or the rest of one. */
    void append(byte[] source, int from, int to) {
        ensure(to - from);
        System.arraycopy(source, from, bytes, size, to - from);
        size += to - from;
    }

    /** Starts a field that is a message or packed numbers. */
    public void open(int field, int expectedLength) {
        varint(WireCursor.delimited(field));
        ensure(MAX_VARINT_BYTES);
        rooms[depth] = size;
        size += varintSize(expectedLength);
        bodies[depth] = size;
        depth++;
    }

    /** The tag and length of a field that is a message of {@code length} bytes. The bytes are elsewhere. */
    public void beginMessage(int field, int length) {
        varint(WireCursor.delimited(field));
        varint(length);
    }

    /** Ends the innermost open field. */
    public void close() {
        depth--;
        int room = rooms[depth];
        int body = bodies[depth];
        int length = size - body;
        int moved = room + varintSize(length);
        if (moved != body) {
            ensure(MAX_VARINT_BYTES);
            System.arraycopy(bytes, body, bytes, moved, length);
        }
        size = room;
        varint(length);
        size += length;
    }

    /** A number without a tag: an entry of packed numbers. */
    public void varint(long value) {
        ensure(MAX_VARINT_BYTES);
        long left = value;
        while ((left & ~0x7f) != 0) {
            bytes[size++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        bytes[size++] = (byte) left;
    }

    private static int varintSize(int value) {
        return (Integer.SIZE + 6 - Integer.numberOfLeadingZeros(value | 1)) / 7;
    }

    private void ensure(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), (int)
                    Math.min(Integer.MAX_VALUE - 8, 2L * bytes.length)));
        }
    }
}
