package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuantitiesTest {
    /** The lines of a file that a Go program wrote. */
    static Stream<String> go() throws IOException {
        try (var file = Objects.requireNonNull(QuantitiesTest.class.getResourceAsStream("/quantities.tsv"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines().filter(line -> !line.startsWith("#")).toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("go")
    void quantity_isReadAsInGo(String line) {
        String[] parts = line.split("\t", -1);
        String text = parts[0].substring(1, parts[0].length() - 1)
                .replace("\\t", "\t")
                .replace("\\n", "\n");
        BigDecimal value = Quantities.parse(text);
        if (parts[1].equals("invalid")) {
            assertNull(value);
            return;
        }
        assertNotNull(value);
        assertEquals(Long.parseLong(parts[1]), Quantities.ceiling(value));
        long milli = parts[2].equals("overflow") ? Long.MAX_VALUE : Long.parseLong(parts[2]);
        assertEquals(milli, Quantities.ceiling(value.movePointRight(3)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e30", "1e2147483647", "9223372036854775808", "1E1000", "1000000E"})
    void quantityBeyond64Bits_isLimited(String text) {
        assertEquals(Long.MAX_VALUE, Quantities.ceiling(Objects.requireNonNull(Quantities.parse(text))));
    }

    @Test
    void negativeQuantity_isExact() {
        assertEquals(new BigDecimal("-0.250"), Quantities.parse("-250m"));
    }

    @Test
    void quantityOfManyDigits_isRefused() {
        assertNotNull(Quantities.parse("0".repeat(253)));
        assertNull(Quantities.parse("0".repeat(254)));
    }
}
