package io.evenkeel.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Turns bit planes into bytes, sixty-four slots at a time.
 *
 * <pre>
 *   seven words, a bit a slot       eight words, a byte a slot
 *   bit 0 of slots 63…0             slots  7…0
 *   bit 1 of slots 63…0      ─►     slots 15…8
 *   …                               …
 * </pre>
 *
 * First the 8 × 8 bits of each byte column are transposed, then the 8 × 8 bytes of all words; each in three rounds of swaps between words (Warren, Hacker's Delight, 7-3).
 */
final class BytesOfPlanes {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long BITS_4 = 0x0F0F_0F0F_0F0F_0F0FL;
    private static final long BITS_2 = 0x3333_3333_3333_3333L;
    private static final long BITS_1 = 0x5555_5555_5555_5555L;
    private static final long BYTES_4 = 0x0000_0000_FFFF_FFFFL;
    private static final long BYTES_2 = 0x0000_FFFF_0000_FFFFL;
    private static final long BYTES_1 = 0x00FF_00FF_00FF_00FFL;

    /** Writes 64 bytes for each of {@code words} words of the seven {@code planes}. */
    void write(long[][] planes, int words, byte[] target) {
        long[] p0 = planes[0];
        long[] p1 = planes[1];
        long[] p2 = planes[2];
        long[] p3 = planes[3];
        long[] p4 = planes[4];
        long[] p5 = planes[5];
        long[] p6 = planes[6];
        for (int w = 0; w < words; w++) {
            long a0 = p0[w];
            long a1 = p1[w];
            long a2 = p2[w];
            long a3 = p3[w];
            long a4 = p4[w];
            long a5 = p5[w];
            long a6 = p6[w];
            long t0 = (a0 >>> 4 ^ a4) & BITS_4;
            long t1 = (a1 >>> 4 ^ a5) & BITS_4;
            long t2 = (a2 >>> 4 ^ a6) & BITS_4;
            long t3 = a3 >>> 4 & BITS_4;
            a0 ^= t0 << 4;
            a4 ^= t0;
            a1 ^= t1 << 4;
            a5 ^= t1;
            a2 ^= t2 << 4;
            a6 ^= t2;
            a3 ^= t3 << 4;
            long a7 = t3;
            t0 = (a0 >>> 2 ^ a2) & BITS_2;
            t1 = (a1 >>> 2 ^ a3) & BITS_2;
            t2 = (a4 >>> 2 ^ a6) & BITS_2;
            t3 = (a5 >>> 2 ^ a7) & BITS_2;
            a0 ^= t0 << 2;
            a2 ^= t0;
            a1 ^= t1 << 2;
            a3 ^= t1;
            a4 ^= t2 << 2;
            a6 ^= t2;
            a5 ^= t3 << 2;
            a7 ^= t3;
            t0 = (a0 >>> 1 ^ a1) & BITS_1;
            t1 = (a2 >>> 1 ^ a3) & BITS_1;
            t2 = (a4 >>> 1 ^ a5) & BITS_1;
            t3 = (a6 >>> 1 ^ a7) & BITS_1;
            a0 ^= t0 << 1;
            a1 ^= t0;
            a2 ^= t1 << 1;
            a3 ^= t1;
            a4 ^= t2 << 1;
            a5 ^= t2;
            a6 ^= t3 << 1;
            a7 ^= t3;
            t0 = (a0 >>> 32 ^ a4) & BYTES_4;
            t1 = (a1 >>> 32 ^ a5) & BYTES_4;
            t2 = (a2 >>> 32 ^ a6) & BYTES_4;
            t3 = (a3 >>> 32 ^ a7) & BYTES_4;
            a0 ^= t0 << 32;
            a4 ^= t0;
            a1 ^= t1 << 32;
            a5 ^= t1;
            a2 ^= t2 << 32;
            a6 ^= t2;
            a3 ^= t3 << 32;
            a7 ^= t3;
            t0 = (a0 >>> 16 ^ a2) & BYTES_2;
            t1 = (a1 >>> 16 ^ a3) & BYTES_2;
            t2 = (a4 >>> 16 ^ a6) & BYTES_2;
            t3 = (a5 >>> 16 ^ a7) & BYTES_2;
            a0 ^= t0 << 16;
            a2 ^= t0;
            a1 ^= t1 << 16;
            a3 ^= t1;
            a4 ^= t2 << 16;
            a6 ^= t2;
            a5 ^= t3 << 16;
            a7 ^= t3;
            t0 = (a0 >>> 8 ^ a1) & BYTES_1;
            t1 = (a2 >>> 8 ^ a3) & BYTES_1;
            t2 = (a4 >>> 8 ^ a5) & BYTES_1;
            t3 = (a6 >>> 8 ^ a7) & BYTES_1;
            int at = w << 6;
            LONGS.set(target, at, a0 ^ t0 << 8);
            LONGS.set(target, at + 8, a1 ^ t0);
            LONGS.set(target, at + 16, a2 ^ t1 << 8);
            LONGS.set(target, at + 24, a3 ^ t1);
            LONGS.set(target, at + 32, a4 ^ t2 << 8);
            LONGS.set(target, at + 40, a5 ^ t2);
            LONGS.set(target, at + 48, a6 ^ t3 << 8);
            LONGS.set(target, at + 56, a7 ^ t3);
        }
    }
}
