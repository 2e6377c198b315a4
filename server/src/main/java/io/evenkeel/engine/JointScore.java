package io.evenkeel.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Scores by table: a node's score depends on its domains' counts alone, and nodes have few distinct combinations of them.
 *
 * <pre>
 *   code of a node = Σ over soft constraints of digit × stride       one byte, mixed radix
 *   digit          = the domain id (narrow topology) or the count itself (wide topology, from its bit planes)
 *   table[code]    = the score, worked out once for each code that occurs
 * </pre>
 *
 * Eight codes are worked out at once, a byte lane each: {@code SPREAD[b]} holds bit {@code i} of {@code b} in lane {@code i}. Applies while the radices multiply to 256 at
 * most and every node considered carries every soft label; {@link ScorePass} goes node by node otherwise.
 */
final class JointScore {
    private static final int CODES = 256;
    private static final VarHandle LANES = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long[] SPREAD = spread();

    private final byte[] present = new byte[CODES];
    private final long[] raw = new long[CODES];
    private final byte[] table = new byte[CODES];
    private byte[] codes = {};
    private int used;
    private long min;
    private long max;

    /** Whether the constraints fit: each group's digits and their product. */
    static boolean applies(PodPlan plan, long[] considered, int words) {
        int product = 1;
        for (PlannedConstraint constraint : plan.soft) {
            SpreadGroup group = constraint.group();
            if (group != null) {
                int radix = radix(group);
                if (radix == 0 || radix > CODES || (product *= radix) > CODES) {
                    return false;
                }
            }
            if (!plan.ignoresIncompleteNodes
                    && !NodeBits.contains(constraint.label().carriers(), considered, words)) {
                return false;
            }
        }
        return true;
    }

    /** Scores the nodes considered into {@code scores}; {@code weights} as the plan's soft constraints. */
    void run(PodPlan plan, double[] weights, long[] considered, int words, byte[] scores) {
        encode(plan, considered, words);
        tabulate(plan, weights);
        for (int w = 0; w < words; w++) {
            long left = considered[w];
            int base = w << 6;
            if (left == -1L) {
                for (int slot = base; slot < base + 64; slot++) {
                    scores[slot] = table[codes[slot] & 0xFF];
                }
            } else {
                for (; left != 0; left &= left - 1) {
                    int slot = base | Long.numberOfTrailingZeros(left);
                    scores[slot] = table[codes[slot] & 0xFF];
                }
            }
        }
    }

    /** The number of distinct digits of a group, 0 where it has no cheap ones. */
    private static int radix(SpreadGroup group) {
        Topology topology = group.topology();
        if (group.counts() instanceof WideCounts wide) {
            return topology.followers().length == 0 && wide.planeCount() < 9 ? 1 << wide.planeCount() : 0;
        }
        return topology.hasCodes() ? topology.domainLimit() : 0;
    }

    private void encode(PodPlan plan, long[] considered, int words) {
        if (codes.length < words * 64) {
            codes = new byte[words * 64];
        }
        Arrays.fill(codes, 0, words * 64, (byte) 0);
        int stride = 1;
        for (PlannedConstraint constraint : plan.soft) {
            SpreadGroup group = constraint.group();
            if (group != null) {
                if (group.counts() instanceof WideCounts wide) {
                    addCounts(wide, stride, words);
                } else {
                    addDomains(group.topology().codes(), stride, words);
                }
                stride *= radix(group);
            }
        }
        used = stride;
        Arrays.fill(present, 0, used, (byte) 0);
        for (int w = 0; w < words; w++) {
            long left = considered[w];
            int base = w << 6;
            if (left == -1L) {
                for (int slot = base; slot < base + 64; slot++) {
                    present[codes[slot] & 0xFF] = 1;
                }
            } else {
                for (; left != 0; left &= left - 1) {
                    present[codes[base | Long.numberOfTrailingZeros(left)] & 0xFF] = 1;
                }
            }
        }
    }

    private void addDomains(byte[] domainCodes, int stride, int words) {
        for (int at = 0; at < words * 64; at += 8) {
            long lanes = (long) LANES.get(domainCodes, at) * stride;
            LANES.set(codes, at, (long) LANES.get(codes, at) + lanes);
        }
    }

    private void addCounts(WideCounts counts, int stride, int words) {
        for (int p = 0; p < counts.planeCount(); p++) {
            long scale = (long) stride << p;
            for (int w = 0; w < words; w++) {
                long word = counts.word(p, w);
                for (int at = w << 6; word != 0; at += 8, word >>>= 8) {
                    long lanes = SPREAD[(int) word & 0xFF] * scale;
                    LANES.set(codes, at, (long) LANES.get(codes, at) + lanes);
                }
            }
        }
    }

    private void tabulate(PodPlan plan, double[] weights) {
        min = Long.MAX_VALUE;
        max = 0;
        for (int code = 0; code < used; code++) {
            if (present[code] != 0) {
                long rounded = Math.round(sum(plan, weights, code));
                raw[code] = rounded;
                min = Math.min(min, rounded);
                max = Math.max(max, rounded);
            }
        }
        for (int code = 0; code < used; code++) {
            if (present[code] != 0) {
                table[code] = ScorePass.normalised(raw[code], min, max);
            }
        }
    }

    private static double sum(PodPlan plan, double[] weights, int code) {
        double sum = 0;
        int rest = code;
        for (int i = 0; i < plan.soft.length; i++) {
            PlannedConstraint constraint = plan.soft[i];
            SpreadGroup group = constraint.group();
            double base = constraint.source().maxSkew() - 1;
            if (group == null) {
                sum += base;
            } else {
                int radix = radix(group);
                int digit = rest % radix;
                rest /= radix;
                int count = group.counts() instanceof WideCounts
                        ? digit
                        : group.counts().get(digit);
                sum += count * weights[i] + base;
            }
        }
        return sum;
    }

    private static long[] spread() {
        long[] spread = new long[CODES];
        for (int bits = 0; bits < CODES; bits++) {
            for (int lane = 0; lane < 8; lane++) {
                spread[bits] |= (long) (bits >>> lane & 1) << (lane * 8);
            }
        }
        return spread;
    }
}
