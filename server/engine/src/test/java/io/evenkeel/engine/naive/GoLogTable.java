package io.evenkeel.engine.naive;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Go's {@code math.Log(size + 2)} on amd64, for sizes up to {@value #SIZES}: a recorded value if StrictMath has a
 * different one. It shares no code with the engine.
 */
public final class GoLogTable {
    public static final int SIZES = 300_000;

    private static final Map<Integer, Double> RECORDED = read();

    private GoLogTable() {}

    public static double log(int size) {
        if (size > SIZES) {
            throw new IllegalArgumentException("size must be at most " + SIZES + ", was " + size);
        }
        Double recorded = RECORDED.get(size);
        return recorded == null ? StrictMath.log(size + 2.0) : recorded;
    }

    private static Map<Integer, Double> read() {
        try (InputStream file = Objects.requireNonNull(GoLogTable.class.getResourceAsStream("/go-log-amd64.txt"))) {
            Map<Integer, Double> recorded = new HashMap<>();
            String text = new String(file.readAllBytes(), StandardCharsets.US_ASCII);
            text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                String[] sizeAndBits = line.split(" ", -1);
                recorded.put(
                        Integer.valueOf(sizeAndBits[0]),
                        Double.longBitsToDouble(Long.parseUnsignedLong(sizeAndBits[1], 16)));
            });
            return recorded;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
