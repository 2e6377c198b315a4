package io.evenkeel.engine.answer;

/**
 * The natural logarithm of Go for amd64, to the last bit: {@link StrictMath#log} differs by one ulp for some numbers,
 * which can change a score. The algorithm is that of Go's {@code src/math/log_amd64.s} (FreeBSD's {@code e_log.c}
 * without its special cases). It rounds after each operation, as Java does, and has no fused multiply-add.
 *
 * <p>On other processors, Go compiles {@code src/math/log.go}, and fuses multiplications with additions if the
 * processor can. The weights of a kube-scheduler on arm64 may therefore differ by one ulp.
 */
final class GoLog {
    private static final double HALF_SQRT_2 = 0.7071067811865476;
    private static final double LN_2_HIGH = 0.6931471803691238;
    private static final double LN_2_LOW = 1.9082149292705877e-10;
    private static final double L1 = 0.6666666666666735;
    private static final double L2 = 0.3999999999940942;
    private static final double L3 = 0.2857142874366239;
    private static final double L4 = 0.22222198432149784;
    private static final double L5 = 0.1818357216161805;
    private static final double L6 = 0.15313837699209373;
    private static final double L7 = 0.14798198605116586;

    private GoLog() {}

    /** The logarithm of a normal positive number. */
    static double log(double x) {
        int exponent = Math.getExponent(x) + 1;
        double fraction = Math.scalb(x, -exponent);
        if (fraction <= HALF_SQRT_2) {
            exponent--;
            fraction *= 2;
        }
        double f = fraction - 1;
        double s = f / (2 + f);
        double s2 = s * s;
        double s4 = s2 * s2;
        double odd = s2 * (L1 + s4 * (L3 + s4 * (L5 + s4 * L7)));
        double even = s4 * (L2 + s4 * (L4 + s4 * L6));
        double half = 0.5 * f * f;
        return exponent * LN_2_HIGH - ((half - (s * (half + (odd + even)) + exponent * LN_2_LOW)) - f);
    }
}
