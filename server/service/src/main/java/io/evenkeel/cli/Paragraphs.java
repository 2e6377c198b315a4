package io.evenkeel.cli;

import java.util.ArrayList;
import java.util.List;

/** Breaks running text into lines for a terminal. */
public final class Paragraphs {
    /** Characters in a line. */
    static final int WIDTH = 100;

    private Paragraphs() {}

    /**
     * Wraps the text at spaces into lines of at most {@code width} characters. A longer word gets a separate line. An
     * empty text has no lines.
     */
    static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        if (line.length() > 0) {
            lines.add(line.toString());
        }
        return lines;
    }

    /** Appends the text in lines of at most {@link #WIDTH} characters, each indented by {@code indent} spaces. */
    public static void append(StringBuilder to, int indent, String text) {
        wrap(printable(text), WIDTH - indent)
                .forEach(line -> to.append(" ".repeat(indent)).append(line).append('\n'));
    }

    /** The text without characters that could move a terminal's cursor or change its colours. */
    public static String printable(String text) {
        return text.chars().anyMatch(Character::isISOControl) ? text.replaceAll("\\p{Cntrl}", "?") : text;
    }
}
