package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.StringTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/**
 * The UID of an object, as two numbers if it is a UUID in canonical form (lower case, dashes). Any other UID is opaque,
 * and is looked up by its text. Instances are reused: {@link #read} sets a new value.
 *
 * <pre>
 *   xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
 *   high               low
 * </pre>
 */
public final class Uid {
    private static final int LENGTH = 36;
    private static final byte NO_DIGIT = -1;
    private static final byte[] DIGITS = digits();

    private byte[] bytes = {};
    private int from;
    private int to;
    private boolean opaque;
    private long high;
    private long low;

    public static Uid of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Uid uid = new Uid();
        uid.read(bytes, 0, bytes.length);
        return uid;
    }

    public static String text(long high, long low) {
        return new UUID(high, low).toString();
    }

    /**
     * Becomes the UID in {@code text} from {@code begin} up to {@code end}. The text must not change while this is
     * used.
     */
    void read(byte[] text, int begin, int end) {
        bytes = text;
        from = begin;
        to = end;
        opaque = !parse();
    }

    /** Becomes the UUID with these bits, whose text is there. */
    void read(byte[] text, int begin, int end, long highBits, long lowBits) {
        bytes = text;
        from = begin;
        to = end;
        opaque = false;
        high = highBits;
        low = lowBits;
    }

    /** Becomes the same UID as {@code other}, at the same place in another text. */
    void readLike(Uid other, byte[] text) {
        bytes = text;
        from = other.from;
        to = other.to;
        opaque = other.opaque;
        high = other.high;
        low = other.low;
    }

    public boolean isOpaque() {
        return opaque;
    }

    /** The first 64 bits of a UID that is not opaque. */
    public long high() {
        return high;
    }

    /** The last 64 bits of a UID that is not opaque. */
    public long low() {
        return low;
    }

    /** Adds a use of the text of an opaque UID, and returns its id. */
    public int acquire(StringTable strings) {
        return strings.acquire(bytes, from, to, KeyedHash.of(bytes, from, to));
    }

    /** The id of the text of an opaque UID, or {@link StringTable#NONE} if nothing uses it. */
    public int find(StringTable strings) {
        return strings.find(bytes, from, to, KeyedHash.of(bytes, from, to));
    }

    @Override
    public String toString() {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    private boolean parse() {
        int at = from;
        if (to - at != LENGTH
                || bytes[at + 8] != '-'
                || bytes[at + 13] != '-'
                || bytes[at + 18] != '-'
                || bytes[at + 23] != '-') {
            return false;
        }
        long first = digits(at, 8);
        long second = digits(at + 9, 4);
        long third = digits(at + 14, 4);
        long fourth = digits(at + 19, 4);
        long fifth = digits(at + 24, 12);
        if ((first | second | third | fourth | fifth) < 0) {
            return false;
        }
        high = first << 32 | second << 16 | third;
        low = fourth << 48 | fifth;
        return true;
    }

    /** The number that {@code count} hexadecimal digits represent; negative if one of them is not a digit. */
    private long digits(int at, int count) {
        long value = 0;
        int all = 0;
        for (int i = at; i < at + count; i++) {
            int digit = DIGITS[bytes[i] & 0xFF];
            all |= digit;
            value = value << 4 | digit & 0xF;
        }
        return all < 0 ? NO_DIGIT : value;
    }

    private static byte[] digits() {
        byte[] digits = new byte[256];
        Arrays.fill(digits, NO_DIGIT);
        for (int digit = 0; digit < 16; digit++) {
            digits[Character.forDigit(digit, 16)] = (byte) digit;
        }
        return digits;
    }
}
