package io.evenkeel.objects;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of a protobuf message one by one without creating objects. Rejects what the generated parsers
 * reject.
 *
 * <pre>
 *   [ tag | value | tag | value | … ]
 *           ▲                         ▲
 *         position                  limit: the end of the current message
 * </pre>
 *
 * After each {@link #next} that returns true, the caller must read the value with exactly one call that matches the
 * {@link #tag}. Not thread-safe.
 */
public final class WireCursor {
    /** The maximum nesting depth of messages and groups, as in the generated parsers. */
    static final int MAX_DEPTH = 100;

    private static final int MAX_VARINT_BITS = 64;
    static final int TYPE_BITS = 3;
    static final int TYPE_MASK = (1 << TYPE_BITS) - 1;
    static final int VARINT = 0;
    private static final int FIXED64 = 1;
    static final int DELIMITED = 2;
    private static final int START_GROUP = 3;
    private static final int END_GROUP = 4;
    private static final int FIXED32 = 5;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long NOT_ASCII = 0x8080808080808080L;

    private final byte[] bytes;
    private int position;
    private int limit;
    private int tag;
    private int depth;
    private int from;
    private int valueEnd;

    /**
     * A cursor over the message in {@code bytes} from {@code from} to {@code to} (exclusive). The bytes must not
     * change.
     */
    public WireCursor(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.position = from;
        this.limit = to;
    }

    /** A cursor over the rest of a message nested {@code depth} deep. */
    WireCursor(byte[] bytes, int from, int to, int depth) {
        this(bytes, from, to);
        this.depth = depth;
    }

    /** The tag of a field whose type is string, bytes or a message. */
    public static int delimited(int field) {
        return field << TYPE_BITS | DELIMITED;
    }

    /** The tag of a field whose type is an integer, enum or bool. */
    public static int varint(int field) {
        return field << TYPE_BITS | VARINT;
    }

    /** The message's bytes. */
    public byte[] bytes() {
        return bytes;
    }

    /** Moves to the next field of the current message; returns false if there is none. */
    public boolean next() throws InvalidProtocolBufferException {
        if (position == limit) {
            return false;
        }
        readTag();
        if ((tag & TYPE_MASK) == END_GROUP) {
            throw malformed("unexpected end of a group");
        }
        return true;
    }

    /** The end of the current message. */
    int limit() {
        return limit;
    }

    /** The nesting depth of the current message. */
    int depth() {
        return depth;
    }

    /** Moves to the end of the current message, whose fields were read elsewhere. */
    void moveToLimit() {
        position = limit;
    }

    /** Field number and wire type of the current field. */
    public int tag() {
        return tag;
    }

    /** The number of the current field. */
    public int field() {
        return tag >>> TYPE_BITS;
    }

    /** True if the value is a string, bytes or a message. */
    public boolean isDelimited() {
        return (tag & TYPE_MASK) == DELIMITED;
    }

    /** The position of the next byte. */
    public int position() {
        return position;
    }

    /** Reads an integer. */
    public long readVarint() throws InvalidProtocolBufferException {
        int at = position;
        if (at < limit && bytes[at] >= 0) {
            position = at + 1;
            return bytes[at];
        }
        if (limit - at >= 2 && bytes[at + 1] >= 0) {
            position = at + 2;
            return bytes[at] & 0x7F | bytes[at + 1] << 7;
        }
        return readLongVarint();
    }

    private long readLongVarint() throws InvalidProtocolBufferException {
        long value = 0;
        for (int shift = 0; shift < MAX_VARINT_BITS; shift += 7) {
            if (position == limit) {
                throw truncated();
            }
            byte next = bytes[position++];
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw malformed("an integer has more than 10 bytes");
    }

    /** Reads a string, which must be UTF-8. Its bytes are at {@link #from} to {@link #position}. */
    public void readString() throws InvalidProtocolBufferException {
        from = readLength();
        position = valueEnd;
        if (!isAscii(bytes, from, position)
                && !UnsafeByteOperations.unsafeWrap(bytes, from, position - from)
                        .isValidUtf8()) {
            throw malformed("a string is not UTF-8");
        }
    }

    /** Reads and returns a string, which must be UTF-8. */
    public String readText() throws InvalidProtocolBufferException {
        readString();
        return new String(bytes, from, position - from, StandardCharsets.UTF_8);
    }

    /**
     * Reads a string, bytes or a message without checking its content. Its bytes are at {@link #from} to
     * {@link #position}.
     */
    public void readBytes() throws InvalidProtocolBufferException {
        from = readLength();
        position = valueEnd;
    }

    /** The start of the value last read by {@link #readString} or {@link #readBytes}. */
    public int from() {
        return from;
    }

    /**
     * Enters the message in the current field, so that {@link #next} reads its fields.
     *
     * @return the argument for {@link #leave}, which must be called once {@link #next} has returned false
     */
    public int enter() throws InvalidProtocolBufferException {
        readLength();
        deepen();
        int outer = limit;
        limit = valueEnd;
        return outer;
    }

    /** Returns from the current message to the one that contains it. */
    public void leave(int outer) {
        depth--;
        limit = outer;
    }

    /** Skips the value. */
    public void skip() throws InvalidProtocolBufferException {
        switch (tag & TYPE_MASK) {
            case VARINT -> readVarint();
            case FIXED64 -> skip(Long.BYTES);
            case DELIMITED -> readBytes();
            case START_GROUP -> skipGroup();
            case FIXED32 -> skip(Integer.BYTES);
            default -> throw malformed("a tag has no valid wire type");
        }
    }

    private void skip(int length) throws InvalidProtocolBufferException {
        if (length > limit - position) {
            throw truncated();
        }
        position += length;
    }

    private void skipGroup() throws InvalidProtocolBufferException {
        int end = tag & ~TYPE_MASK | END_GROUP;
        deepen();
        while (position < limit) {
            readTag();
            if ((tag & TYPE_MASK) == END_GROUP) {
                if (tag != end) {
                    break;
                }
                depth--;
                return;
            }
            skip();
        }
        throw malformed("a group does not end");
    }

    private void deepen() throws InvalidProtocolBufferException {
        if (++depth > MAX_DEPTH) {
            throw malformed("messages are nested more than " + MAX_DEPTH + " deep");
        }
    }

    private void readTag() throws InvalidProtocolBufferException {
        tag = (int) readVarint();
        if (tag >>> TYPE_BITS == 0) {
            throw malformed("a tag has the field number 0");
        }
    }

    /** Reads the length of the value. The value's bytes are from the returned position to {@code valueEnd}. */
    private int readLength() throws InvalidProtocolBufferException {
        int length = (int) readVarint();
        if (length < 0) {
            throw malformed("a length is negative");
        }
        if (length > limit - position) {
            throw truncated();
        }
        valueEnd = position + length;
        return position;
    }

    /** True if all bytes from {@code begin} to {@code end} are ASCII. */
    static boolean isAscii(byte[] bytes, int begin, int end) {
        int at = begin;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            if (((long) LONGS.get(bytes, at) & NOT_ASCII) != 0) {
                return false;
            }
        }
        for (; at < end; at++) {
            if (bytes[at] < 0) {
                return false;
            }
        }
        return true;
    }

    private static InvalidProtocolBufferException truncated() {
        return malformed("the message ends within a field");
    }

    private static InvalidProtocolBufferException malformed(String why) {
        return new InvalidProtocolBufferException(why);
    }
}
