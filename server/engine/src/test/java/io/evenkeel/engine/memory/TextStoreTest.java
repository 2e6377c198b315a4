package io.evenkeel.engine.memory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TextStoreTest {
    private static final int TEXTS = 10_000;

    @ParameterizedTest
    @ValueSource(strings = {"%05d", "node-%05d", "app-0000-xjxfsxhnr-%05d", "%05d-of-a-long-name", "web-%05d.shop.svc"})
    void hash_reportsTextsApart_whereverTheyDiffer(String form) {
        Set<Integer> hashes = IntStream.range(0, TEXTS)
                .mapToObj(number -> String.format(Locale.ROOT, form, number).getBytes(StandardCharsets.UTF_8))
                .map(text -> KeyedHash.of(text, 0, text.length))
                .collect(Collectors.toSet());
        assertTrue(hashes.size() > TEXTS * 0.999, () -> TEXTS + " texts had but " + hashes.size() + " hashes");
    }
}
