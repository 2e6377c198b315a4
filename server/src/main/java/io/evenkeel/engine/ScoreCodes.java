package io.evenkeel.engine;

import java.util.Arrays;

/**
 * One byte a node that says all that its score depends on: its domains in the narrow topologies, its own count in the wide one.
 *
 * <pre>
 *   code of a node = its digit of each soft constraint, some bits each, side by side; 8 bits in all at most
 *   digit          = the domain id (narrow topology) or the count itself (wide topology); both stand in bit planes
 *   rows[b]        = bit b of every node's code, a bit a slot; padded[b] where the plane is shorter than the table, zeros where no digit has the bit
 *   lanes          = the codes: byte k of lanes[8w + j] is that of slot 64w + 8k + j
 * </pre>
 *
 * Sixty-four codes are made from eight words at once, by transposing the 8 × 8 bits that each byte column of them holds (Warren, Hacker's Delight, 7-3).
 */
final class ScoreCodes {
    private static final int BITS = 8;

    /** The greatest number of codes. */
    static final int CODES = 1 << BITS;

    private static final long FOURS = 0x0F0F_0F0F_0F0F_0F0FL;
    private static final long TWOS = 0x3333_3333_3333_3333L;
    private static final long ONES = 0x5555_5555_5555_5555L;

    private final long[][] rows = new long[BITS][];
    private final long[][] padded = new long[BITS][0];
    private long[] zeros = {};
    private int[] shifts = {};
    private int[] masks = {};
    private int bits;
    private long[] lanes = {};

    /** Whether the codes of {@code plan} fit; if so they are what the other methods speak of. */
    boolean fit(PodPlan plan) {
        PlannedConstraint[] soft = plan.soft;
        if (shifts.length < soft.length) {
            shifts = new int[soft.length];
            masks = new int[soft.length];
        }
        bits = 0;
        for (int i = 0; i < soft.length; i++) {
            SpreadGroup group = soft[i].group();
            int digits = group == null ? 0 : digitBits(group);
            shifts[i] = bits;
            masks[i] = (1 << digits) - 1;
            bits += digits;
            if (bits > BITS) {
                return false;
            }
        }
        return true;
    }

    /** Codes are below this. */
    int limit() {
        return 1 << bits;
    }

    /** The digit of a code for the soft constraint of that place. */
    int digit(int code, int place) {
        return code >>> shifts[place] & masks[place];
    }

    /** By how many bits the digit of that place is shifted. */
    int shift(int place) {
        return shifts[place];
    }

    long[] lanes() {
        return lanes;
    }

    /** Works out the code of every slot of the first {@code words} words. */
    void encode(PodPlan plan, int words) {
        if (lanes.length < words * 8) {
            lanes = new long[words * 8];
        }
        int row = 0;
        for (PlannedConstraint constraint : plan.soft) {
            SpreadGroup group = constraint.group();
            if (group != null) {
                long[][] planes = group.counts() instanceof WideCounts wide
                        ? wide.planes()
                        : group.topology().codePlanes();
                for (long[] plane : planes) {
                    rows[row] = atLeast(words, plane, row);
                    row++;
                }
            }
        }
        if (zeros.length < words) {
            zeros = new long[words];
        }
        Arrays.fill(rows, row, BITS, zeros);
        transpose(rows, words, lanes);
    }

    /** The bits that tell a group's digits apart; more than there are where it has no cheap ones. */
    private static int digitBits(SpreadGroup group) {
        Topology topology = group.topology();
        if (group.counts() instanceof WideCounts wide) {
            return topology.followers().length == 0 ? wide.planes().length : BITS + 1;
        }
        return topology.hasCodes() ? topology.codePlanes().length : BITS + 1;
    }

    private long[] atLeast(int words, long[] plane, int row) {
        if (plane.length >= words) {
            return plane;
        }
        if (padded[row].length < words) {
            padded[row] = new long[words];
        }
        long[] pad = padded[row];
        System.arraycopy(plane, 0, pad, 0, plane.length);
        Arrays.fill(pad, plane.length, words, 0);
        return pad;
    }

    private static void transpose(long[][] rows, int words, long[] lanes) {
        long[] r0 = rows[0];
        long[] r1 = rows[1];
        long[] r2 = rows[2];
        long[] r3 = rows[3];
        long[] r4 = rows[4];
        long[] r5 = rows[5];
        long[] r6 = rows[6];
        long[] r7 = rows[7];
        for (int w = 0; w < words; w++) {
            long a0 = r0[w];
            long a1 = r1[w];
            long a2 = r2[w];
            long a3 = r3[w];
            long a4 = r4[w];
            long a5 = r5[w];
            long a6 = r6[w];
            long a7 = r7[w];
            long t0 = (a0 >>> 4 ^ a4) & FOURS;
            long t1 = (a1 >>> 4 ^ a5) & FOURS;
            long t2 = (a2 >>> 4 ^ a6) & FOURS;
            long t3 = (a3 >>> 4 ^ a7) & FOURS;
            a0 ^= t0 << 4;
            a4 ^= t0;
            a1 ^= t1 << 4;
            a5 ^= t1;
            a2 ^= t2 << 4;
            a6 ^= t2;
            a3 ^= t3 << 4;
            a7 ^= t3;
            t0 = (a0 >>> 2 ^ a2) & TWOS;
            t1 = (a1 >>> 2 ^ a3) & TWOS;
            t2 = (a4 >>> 2 ^ a6) & TWOS;
            t3 = (a5 >>> 2 ^ a7) & TWOS;
            a0 ^= t0 << 2;
            a2 ^= t0;
            a1 ^= t1 << 2;
            a3 ^= t1;
            a4 ^= t2 << 2;
            a6 ^= t2;
            a5 ^= t3 << 2;
            a7 ^= t3;
            t0 = (a0 >>> 1 ^ a1) & ONES;
            t1 = (a2 >>> 1 ^ a3) & ONES;
            t2 = (a4 >>> 1 ^ a5) & ONES;
            t3 = (a6 >>> 1 ^ a7) & ONES;
            int at = w << 3;
            lanes[at] = a0 ^ t0 << 1;
            lanes[at + 1] = a1 ^ t0;
            lanes[at + 2] = a2 ^ t1 << 1;
            lanes[at + 3] = a3 ^ t1;
            lanes[at + 4] = a4 ^ t2 << 1;
            lanes[at + 5] = a5 ^ t2;
            lanes[at + 6] = a6 ^ t3 << 1;
            lanes[at + 7] = a7 ^ t3;
        }
    }
}
