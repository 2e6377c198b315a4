package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fuzzes files with permissions and with tokens. A rejection must name a line, and must not quote a token. */
final class AccessFuzz {
    private static final Pattern LINE = Pattern.compile("line (\\d+): .+", Pattern.DOTALL);
    private static final int MIN_TOKEN = 16;

    @FuzzTest
    void file_isReadOrRejected(byte[] data) {
        String text = new String(data, StandardCharsets.UTF_8);
        try {
            assertFalse(AccessFile.read(data).allow(List.of(), Right.ASK));
        } catch (FileFormatException e) {
            requireLine(e, text);
        }
        try {
            TokenList tokens = TokenList.read(data);
            text.lines()
                    .map(String::strip)
                    .filter(line -> !line.startsWith("#"))
                    .forEach(line -> {
                        String[] parts = line.split("\\s+", 2);
                        assertTrue(parts.length < 2 || parts[0].equals(tokens.name(TokenList.hash(parts[1]))), line);
                    });
        } catch (FileFormatException e) {
            requireLine(e, text);
            String message = String.valueOf(e.getMessage());
            for (String word : text.split("\\s+", -1)) {
                assertFalse(word.length() >= MIN_TOKEN && message.contains(word), word);
            }
        }
    }

    private static void requireLine(FileFormatException rejected, String text) {
        Matcher line = LINE.matcher(String.valueOf(rejected.getMessage()));
        assertTrue(line.matches(), rejected.getMessage());
        long lines = text.chars()
                        .filter(each -> "\n\r\u0085\u2028\u2029".indexOf(each) >= 0)
                        .count()
                + 1;
        assertTrue(Integer.parseInt(line.group(1)) <= lines, rejected.getMessage());
    }
}
