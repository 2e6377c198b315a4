package io.evenkeel.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Scores by table: nodes have few distinct {@link ScoreCodes}, and a score is worked out once for each that occurs.
 *
 * <pre>
 *   present[code]   whether a node considered has the code, or may have
 *   raw[code]       its raw score, where present
 *   table[code]     its normalised score, where present
 * </pre>
 */
final class ScoreTable {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;

    private final ScoreCodes codes = new ScoreCodes();
    private final byte[] present = new byte[ScoreCodes.CODES];
    private final long[] raw = new long[ScoreCodes.CODES];
    private final byte[] table = new byte[ScoreCodes.CODES];

    /** Whether the plan's scores have a table. */
    boolean fits(PodPlan plan) {
        return codes.fit(plan);
    }

    /**
     * Scores the nodes considered into {@code scores}, 0 for the others.
     *
     * @param weights as the plan's soft constraints
     * @param cells the nodes considered, in cells; null where they are not cut
     */
    void run(PodPlan plan, double[] weights, long[] considered, int words, @Nullable ScoreCells cells, byte[] scores) {
        codes.encode(plan, words);
        Arrays.fill(present, 0, codes.limit(), (byte) 0);
        if (cells != null) {
            markPresent(plan, cells);
        } else {
            markPresent(considered, words);
        }
        tabulate(plan, weights);
        lookUp(considered, words, scores);
    }

    /** The codes between the least and the greatest of each cell, which occur: those between that don't are worked out in vain and never looked up. */
    private void markPresent(PodPlan plan, ScoreCells cells) {
        int countShift = 0;
        int cellShift = 0;
        for (int i = 0; i < plan.soft.length; i++) {
            if (plan.soft[i].counts() == cells.counts()) {
                countShift = codes.shift(i);
            } else {
                cellShift = codes.shift(i);
            }
        }
        for (int cell = 0; cell < cells.cells(); cell++) {
            for (int count = cells.least(cell); count <= cells.greatest(cell); count++) {
                present[cell << cellShift | count << countShift] = 1;
            }
        }
    }

    /** The codes of the nodes considered; the others of a word pass for its first one that is. */
    private void markPresent(long[] considered, int words) {
        byte[] marks = present;
        long[] lanes = codes.lanes();
        for (int w = 0; w < words; w++) {
            long some = considered[w];
            if (some != 0) {
                int first = Long.numberOfTrailingZeros(some);
                long stand = (lanes[w << 3 | first & 7] >>> (first & 56) & 0xFF) * LOW_BITS;
                for (int j = 0; j < 8; j++) {
                    long mask = (some >>> j & LOW_BITS) * 0xFF;
                    long eight = lanes[w << 3 | j] & mask | stand & ~mask;
                    marks[(int) eight & 0xFF] = 1;
                    marks[(int) (eight >>> 8) & 0xFF] = 1;
                    marks[(int) (eight >>> 16) & 0xFF] = 1;
                    marks[(int) (eight >>> 24) & 0xFF] = 1;
                    marks[(int) (eight >>> 32) & 0xFF] = 1;
                    marks[(int) (eight >>> 40) & 0xFF] = 1;
                    marks[(int) (eight >>> 48) & 0xFF] = 1;
                    marks[(int) (eight >>> 56)] = 1;
                }
            }
        }
    }

    private void tabulate(PodPlan plan, double[] weights) {
        long min = Long.MAX_VALUE;
        long max = 0;
        for (int code = 0; code < codes.limit(); code++) {
            if (present[code] != 0) {
                long rounded = Math.round(sum(plan, weights, code));
                raw[code] = rounded;
                min = Math.min(min, rounded);
                max = Math.max(max, rounded);
            }
        }
        for (int code = 0; code < codes.limit(); code++) {
            if (present[code] != 0) {
                table[code] = ScorePass.normalised(raw[code], min, max);
            }
        }
    }

    private double sum(PodPlan plan, double[] weights, int code) {
        double sum = 0;
        for (int i = 0; i < plan.soft.length; i++) {
            PlannedConstraint constraint = plan.soft[i];
            SpreadGroup group = constraint.group();
            double base = constraint.source().maxSkew() - 1;
            if (group == null) {
                sum += base;
            } else {
                int digit = codes.digit(code, i);
                int count = group.counts() instanceof WideCounts
                        ? digit
                        : group.counts().get(digit);
                sum += count * weights[i] + base;
            }
        }
        return sum;
    }

    private void lookUp(long[] considered, int words, byte[] scores) {
        long[] lanes = codes.lanes();
        byte[] scoreOf = table;
        for (int w = 0; w < words; w++) {
            int base = w << 6;
            for (int j = 0; j < 8; j++) {
                long eight = lanes[w << 3 | j];
                int at = base | j;
                scores[at] = scoreOf[(int) eight & 0xFF];
                scores[at + 8] = scoreOf[(int) (eight >>> 8) & 0xFF];
                scores[at + 16] = scoreOf[(int) (eight >>> 16) & 0xFF];
                scores[at + 24] = scoreOf[(int) (eight >>> 24) & 0xFF];
                scores[at + 32] = scoreOf[(int) (eight >>> 32) & 0xFF];
                scores[at + 40] = scoreOf[(int) (eight >>> 40) & 0xFF];
                scores[at + 48] = scoreOf[(int) (eight >>> 48) & 0xFF];
                scores[at + 56] = scoreOf[(int) (eight >>> 56)];
            }
            if (considered[w] != -1L) {
                clearOthers(considered[w], base, scores);
            }
        }
    }

    /** Puts the scores of the slots from {@code base} on to 0 that are not in {@code considered}. */
    private static void clearOthers(long considered, int base, byte[] scores) {
        for (int at = 0; at < 64; at += 8) {
            long keep = NodeBits.bytes((int) (considered >>> at)) * 0xFF;
            LONGS.set(scores, base + at, (long) LONGS.get(scores, base + at) & keep);
        }
    }
}
