package io.evenkeel.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that comments fit into 120 columns. The formatter wraps prose; this test checks drawings and trailing comments.
 */
final class CommentWidthTest {
    private static final int MAX_COLUMNS = 120;
    private static final Pattern COMMENT = Pattern.compile("\\s*(\\*|/\\*|//).*|.*\\s// [^\"]*");

    @Test
    void comments_fitTheScreen() throws IOException {
        List<String> tooLong = new ArrayList<>();
        int files = 0;
        Path root = SourceTree.root();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : (Iterable<Path>) all.filter(CommentWidthTest::isSource)::iterator) {
                files++;
                int number = 0;
                for (String line : Files.readAllLines(file)) {
                    number++;
                    if (isTooLong(line)) {
                        tooLong.add(root.relativize(file) + ":" + number);
                    }
                }
            }
        }
        assertEquals(List.of(), tooLong);
        assertTrue(files > 500, "only " + files + " files were found");
    }

    @Test
    void longComment_isFound() {
        String word = "x".repeat(MAX_COLUMNS);
        assertTrue(isTooLong("    // " + word));
        assertTrue(isTooLong(" *   " + word));
        assertTrue(isTooLong("    int x = 0; // " + word));
    }

    private static boolean isSource(Path file) {
        String name = file.toString();
        return name.endsWith(".java") && name.contains("src") && !name.contains("target");
    }

    private static boolean isTooLong(String line) {
        return line.codePointCount(0, line.length()) > MAX_COLUMNS
                && COMMENT.matcher(line).matches();
    }
}
