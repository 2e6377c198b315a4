package io.evenkeel.objects;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses quantities, such as {@code 250m}, {@code 1.5Gi} or {@code 1e3}, as {@code resource.ParseQuantity} of
 * Kubernetes does. Values are exact; one that has a fraction of a nano is rounded away from zero to a nano, and one
 * beyond 2<sup>63</sup> - 1 is limited to that.
 */
final class Quantities {
    static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    /** No API server sends a longer one. */
    private static final int MAX_LENGTH = 253;

    /** With more, every quantity of that length is limited, or is rounded to a nano. */
    private static final int MAX_EXPONENT = 1_000;

    private static final int NANO = 9;
    private static final Pattern PARTS =
            Pattern.compile("([+-]?)([0-9]*+)(?:\\.([0-9]*+))?([eEinumkKMGTP]*+[+-]?[0-9]*+)");
    private static final Map<String, Integer> DECIMAL =
            Map.of("n", -9, "u", -6, "m", -3, "", 0, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);
    private static final Map<String, Integer> BINARY =
            Map.of("Ki", 10, "Mi", 20, "Gi", 30, "Ti", 40, "Pi", 50, "Ei", 60);

    private Quantities() {}

    /** The value; null if the text is not a quantity. */
    static @Nullable BigDecimal parse(String text) {
        Matcher parts = PARTS.matcher(text);
        if (text.isEmpty() || text.length() > MAX_LENGTH || !parts.matches()) {
            return null;
        }
        String fraction = parts.group(3) == null ? "" : parts.group(3);
        // In Go, a number without any digits is 0.
        BigDecimal number = new BigDecimal(new BigInteger("0" + parts.group(2) + fraction), fraction.length());
        BigDecimal scaled = scale(number, parts.group(4));
        if (scaled == null) {
            return null;
        }
        BigDecimal value = scaled.compareTo(MAX) > 0
                ? MAX
                : scaled.scale() > NANO ? scaled.setScale(NANO, RoundingMode.UP) : scaled;
        return parts.group(1).equals("-") ? value.negate() : value;
    }

    private static @Nullable BigDecimal scale(BigDecimal number, String suffix) {
        Integer binary = BINARY.get(suffix);
        if (binary != null) {
            return number.multiply(BigDecimal.valueOf(1L << binary));
        }
        Integer decimal = DECIMAL.get(suffix);
        if (decimal == null) {
            decimal = exponent(suffix);
        }
        return decimal == null ? null : number.scaleByPowerOfTen(decimal);
    }

    private static @Nullable Integer exponent(String suffix) {
        if (suffix.length() < 2 || suffix.charAt(0) != 'e' && suffix.charAt(0) != 'E') {
            return null;
        }
        try {
            // Go reads 64 bits and keeps 32 of them.
            int exponent = (int) Long.parseLong(suffix.substring(1));
            return Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent));
        } catch (NumberFormatException notANumber) {
            return null;
        }
    }

    /** The value as an integer: rounded up, and at most {@link Long#MAX_VALUE}. */
    static long ceiling(BigDecimal value) {
        return value.setScale(0, RoundingMode.CEILING).min(MAX).longValue();
    }
}
