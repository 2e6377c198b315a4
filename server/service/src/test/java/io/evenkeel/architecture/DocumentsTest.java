package io.evenkeel.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that pages are short, that their links lead somewhere, and that the index of decisions is complete. */
final class DocumentsTest {
    private static final int MAX_PAGE_LINES = 200;

    /** The limits of other pages: the README must be short, and the list of decisions grows by a line for each. */
    private static final Map<String, Integer> MAX_LINES = Map.of("README.md", 100, "server/DECISIONS.md", 350);

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\\n]+`");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern DECISION = Pattern.compile("(?m)^#+ (D-\\d{3})\\b");
    private static final Pattern INDEXED = Pattern.compile("(?m)^[-|*].*?\\b(D-\\d{3})\\b");

    @Test
    void pages_areShort() throws IOException {
        Map<String, Long> tooLong = new TreeMap<>();
        for (Map.Entry<String, String> page : pages().entrySet()) {
            long lines = page.getValue().lines().count();
            int most = MAX_LINES.getOrDefault(page.getKey(), MAX_PAGE_LINES);
            if (lines > most) {
                tooLong.put(page.getKey(), lines);
            }
        }
        assertEquals(Map.of(), tooLong);
    }

    @Test
    void links_leadToFilesAndHeadings() throws IOException {
        Path root = SourceTree.root();
        Map<String, String> pages = pages();
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Map.Entry<String, String> page : pages.entrySet()) {
            Path folder = root.resolve(page.getKey()).resolveSibling("");
            for (Matcher found = LINK.matcher(withoutCode(page.getValue())); found.find(); ) {
                String link = found.group(1);
                if (link.contains("://") || link.startsWith("mailto:")) {
                    continue;
                }
                links++;
                int mark = link.indexOf('#');
                String file = mark < 0 ? link : link.substring(0, mark);
                Path target = file.isEmpty()
                        ? root.resolve(page.getKey())
                        : folder.resolve(file).normalize();
                String name = root.relativize(target).toString();
                if (!Files.exists(target)) {
                    broken.add(page.getKey() + ": " + link);
                } else if (mark >= 0 && !anchors(pages.getOrDefault(name, "")).contains(link.substring(mark + 1))) {
                    broken.add(page.getKey() + ": " + link + " (no such heading)");
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(links > 100, "only " + links + " links were found");
    }

    @Test
    void decisions_areNumberedOnce_andIndexed() throws IOException {
        Map<String, String> pages = pages();
        List<String> numbers = new ArrayList<>();
        pages.forEach((name, text) -> {
            if (name.startsWith("server/docs/decisions/")) {
                for (Matcher found = DECISION.matcher(text); found.find(); ) {
                    numbers.add(found.group(1));
                }
            }
        });
        Set<String> indexed = new TreeSet<>();
        for (Matcher found = INDEXED.matcher(pages.getOrDefault("server/DECISIONS.md", "")); found.find(); ) {
            indexed.add(found.group(1));
        }
        assertTrue(numbers.size() > 100, "only " + numbers.size() + " decisions were found");
        assertEquals(numbers.size(), new HashSet<>(numbers).size(), "a number occurs twice: " + numbers);
        assertEquals(new TreeSet<>(numbers), indexed);
    }

    /** The Markdown files, by their paths below the root. */
    private static Map<String, String> pages() throws IOException {
        Map<String, String> pages = Prose.files(SourceTree.root());
        pages.keySet().removeIf(name -> !name.endsWith(".md"));
        return pages;
    }

    private static String withoutCode(String page) {
        return CODE.matcher(page).replaceAll("");
    }

    /** The anchors that GitHub makes of the headings. */
    private static Set<String> anchors(String page) {
        Set<String> anchors = new HashSet<>();
        for (Matcher found = HEADING.matcher(page.replaceAll("(?ms)^```.*?^```", "")); found.find(); ) {
            String text = found.group(1).replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
            String anchor = text.toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            anchors.add(anchor);
        }
        return anchors;
    }
}
