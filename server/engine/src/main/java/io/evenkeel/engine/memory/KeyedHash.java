package io.evenkeel.engine.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hashes keys that callers choose, with secrets drawn when the process starts, so that callers cannot prepare keys that
 * collide in a table. All tables that look up by content use these hashes. So do the records of the model in their
 * {@code hashCode}, since they are keys of maps. Equal contents have equal hashes within one process only: a hash is
 * never stored outside of it.
 *
 * <pre>
 *   fold(a, b)   the two halves of the product of a and b, 128 bits, one XORed with the other
 *   a text       16 bytes a step: state = fold(word ^ secret, next word ^ state);
 *                if the length is not a multiple of 16, a last step reads the last 16 bytes
 * </pre>
 *
 * The scheme is that of wyhash and rapidhash. It is not a cryptographic hash: a caller who can time single look-ups
 * exactly might learn about the secrets. The system property {@code evenkeel.hashSeed} (a number) sets them, so that
 * tests can be repeated; never set it on a server.
 */
public final class KeyedHash {
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int CHARS_A_WORD = 4;

    /** Bytes that one step reads. */
    private static final int STEP = 2 * Long.BYTES;

    private static final long[] SECRETS = secrets(System.getProperty("evenkeel.hashSeed"), 5);
    private static final long START = SECRETS[0];
    private static final long FIRST = SECRETS[1];
    private static final long SECOND = SECRETS[2];
    private static final long LAST = SECRETS[3];
    private static final long SCATTER = SECRETS[4];
    private static final long GATHER = inverse(SCATTER);

    private KeyedHash() {}

    /** The hash of a text in UTF-8. */
    public static int of(byte[] text, int from, int to) {
        long hash = of(START, text, from, to);
        return (int) (hash ^ hash >>> Integer.SIZE);
    }

    /**
     * The hash of a sequence of texts, one text at a time: {@code before} is the hash of the texts so far, 0 for none.
     */
    public static long of(long before, byte[] text, int from, int to) {
        int length = to - from;
        long state = before ^ length * LAST;
        long a;
        long b;
        if (length >= Long.BYTES) {
            for (int at = from; to - at > STEP; at += STEP) {
                state = fold((long) LONGS.get(text, at) ^ FIRST, (long) LONGS.get(text, at + Long.BYTES) ^ state);
            }
            a = (long) LONGS.get(text, Math.max(from, to - STEP));
            b = (long) LONGS.get(text, to - Long.BYTES);
        } else if (length >= Integer.BYTES) {
            a = (int) INTS.get(text, from);
            b = (int) INTS.get(text, to - Integer.BYTES);
        } else {
            b = 0;
            a = length == 0
                    ? 0
                    : text[from] & 0xFF
                            | (text[from + length / 2] & 0xFF) << Byte.SIZE
                            | (text[to - 1] & 0xFF) << 2 * Byte.SIZE;
        }
        return fold(a ^ SECOND, b ^ state);
    }

    /** The hash of two numbers. */
    public static int of(long one, long other) {
        long hash = fold(one ^ FIRST, other ^ SECOND);
        return (int) (hash ^ hash >>> Integer.SIZE);
    }

    /** The hash of a string. It differs from the hash of the same text in UTF-8. */
    public static int of(String string) {
        long hash = code(string);
        return (int) (hash ^ hash >>> Integer.SIZE);
    }

    /**
     * The hash of the parts of a value, in order. A part is a string, number, boolean or enum, a value whose own hash
     * is one of these, or a list or map of such parts.
     */
    public static int ofAll(@Nullable Object... parts) {
        long hash = START;
        for (Object part : parts) {
            hash = fold(hash ^ code(part), FIRST);
        }
        return (int) (hash ^ hash >>> Integer.SIZE);
    }

    /**
     * Maps each number to another one, based on the secrets. With it, tables with their own hash function can hold keys
     * that callers choose.
     */
    public static long scatter(long number) {
        long scattered = number * SCATTER;
        return scattered ^ scattered >>> Integer.SIZE;
    }

    /** The inverse of {@link #scatter}. */
    public static long gather(long scattered) {
        return (scattered ^ scattered >>> Integer.SIZE) * GATHER;
    }

    /** Same as {@link #scatter(long)}, for 32 bits. */
    public static int scatter(int number) {
        int scattered = number * (int) SCATTER;
        return scattered ^ scattered >>> Short.SIZE;
    }

    /** Keys a hash that is not keyed yet. {@link IdTable} applies it to every hash that it gets. */
    static int spread(int hash) {
        long spread = (hash ^ START) * SECOND;
        return (int) (spread ^ spread >>> Integer.SIZE);
    }

    private static long code(@Nullable Object part) {
        if (part instanceof String text) {
            return code(text);
        }
        if (part instanceof List<?> list) {
            long hash = SECOND ^ list.size();
            for (Object each : list) {
                hash = fold(hash ^ code(each), LAST);
            }
            return hash;
        }
        if (part instanceof Map<?, ?> map) {
            // A sum, since equal maps may list their entries in different orders.
            long hash = LAST ^ map.size();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                hash += fold(code(entry.getKey()) ^ FIRST, code(entry.getValue()) ^ SECOND);
            }
            return hash;
        }
        return part == null ? 0 : part.hashCode();
    }

    private static long code(String text) {
        int length = text.length();
        long hash = FIRST ^ length * LAST;
        int at = 0;
        for (; at + CHARS_A_WORD <= length; at += CHARS_A_WORD) {
            long word = text.charAt(at)
                    | (long) text.charAt(at + 1) << Character.SIZE
                    | (long) text.charAt(at + 2) << 2 * Character.SIZE
                    | (long) text.charAt(at + 3) << 3 * Character.SIZE;
            hash = fold(hash ^ word, SECOND);
        }
        long rest = 0;
        for (; at < length; at++) {
            rest = rest << Character.SIZE | text.charAt(at);
        }
        return fold(hash ^ rest, LAST);
    }

    private static long fold(long a, long b) {
        return Math.multiplyHigh(a, b) ^ a * b;
    }

    /** The secrets are odd, so that multiplying by one of them loses no information. */
    private static long[] secrets(@Nullable String seed, int count) {
        SecureRandom random = seed == null ? new SecureRandom() : null;
        long state = seed == null ? 0 : Long.parseLong(seed);
        long[] secrets = new long[count];
        for (int i = 0; i < count; i++) {
            // With a seed, the secrets are the numbers that SplitMix64 yields.
            state += 0x9E3779B97F4A7C15L;
            long mixed = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
            mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
            secrets[i] = (random == null ? mixed ^ mixed >>> 31 : random.nextLong()) | 1;
        }
        return secrets;
    }

    /**
     * The inverse of an odd number modulo 2^64, by Newton's method: at first 3 bits are right, and each step doubles
     * that.
     */
    private static long inverse(long odd) {
        long inverse = odd;
        for (int bits = 3; bits < Long.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}
