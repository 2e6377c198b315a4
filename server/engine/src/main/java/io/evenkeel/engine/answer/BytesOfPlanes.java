package io.evenkeel.engine.answer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Converts scores from bit planes ({@link ScorePlanes}) to one byte for each slot, 64 slots at a time.
 *
 * <pre>
 *   seven words, a bit a slot       eight words, a byte a slot
 *   bit 0 of slots 63…0             slots  7…0
 *   bit 1 of slots 63…0      ─►     slots 15…8
 *   …                               …
 * </pre>
 *
 * First the 8 × 8 bits of each byte column are transposed, then the 8 × 8 bytes of all words; each in three rounds of
 * swaps between words (Warren, Hacker's Delight, 7-3). One swap is one loop over a block of words, since the JIT
 * vectorises short loops over two arrays, but not one loop over all of them.
 */
final class BytesOfPlanes {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int ROWS = 8;

    /** How many words are transposed at a time: eight rows of them fit into the processor's first cache. */
    private static final int BLOCK = 256;

    private final long[][] rows = new long[ROWS][BLOCK];

    /** Writes 64 bytes for each of {@code words} words of the seven {@code planes}. */
    void write(long[][] planes, int words, byte[] target) {
        for (int from = 0; from < words; from += BLOCK) {
            int length = Math.min(BLOCK, words - from);
            for (int b = 0; b < planes.length; b++) {
                System.arraycopy(planes[b], from, rows[b], 0, length);
            }
            for (int b = planes.length; b < ROWS; b++) {
                Arrays.fill(rows[b], 0, length, 0);
            }
            swapAll(4, 4, 0x0F0F_0F0F_0F0F_0F0FL, length);
            swapAll(2, 2, 0x3333_3333_3333_3333L, length);
            swapAll(1, 1, 0x5555_5555_5555_5555L, length);
            swapAll(4, 32, 0x0000_0000_FFFF_FFFFL, length);
            swapAll(2, 16, 0x0000_FFFF_0000_FFFFL, length);
            swapAll(1, 8, 0x00FF_00FF_00FF_00FFL, length);
            scatter(from, length, target);
        }
    }

    /**
     * One round of swaps: for each pair of rows that are {@code distance} apart, swaps the bits in {@code mask} of the
     * one with those of the other that are {@code shift} higher.
     */
    private void swapAll(int distance, int shift, long mask, int length) {
        for (int row = 0; row < ROWS; row++) {
            if ((row & distance) == 0) {
                swap(rows[row], rows[row + distance], shift, mask, length);
            }
        }
    }

    private static void swap(long[] low, long[] high, int shift, long mask, int length) {
        for (int w = 0; w < length; w++) {
            long lower = low[w];
            long higher = high[w];
            long change = (lower >>> shift ^ higher) & mask;
            low[w] = lower ^ change << shift;
            high[w] = higher ^ change;
        }
    }

    private void scatter(int from, int length, byte[] target) {
        for (int row = 0; row < ROWS; row++) {
            long[] eight = rows[row];
            for (int w = 0; w < length; w++) {
                LONGS.set(target, (from + w) << 6 | row << 3, eight[w]);
            }
        }
    }
}
