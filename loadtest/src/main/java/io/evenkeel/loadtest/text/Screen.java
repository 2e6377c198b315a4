package io.evenkeel.loadtest.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help.Ansi;

/**
 * Writes the output of a command: lines, headings, paragraphs, tables and progress. Not thread-safe.
 *
 * <p>{@code ansi} decides whether colour is used: with {@link Ansi#AUTO}, on a terminal unless {@code NO_COLOR} is set.
 */
public final class Screen {
    /** The longest line, in columns. */
    public static final int WIDTH = 100;

    private static final String INDENT = "  ";
    private static final String DOTS = "...";

    private final PrintWriter out;
    private final Ansi ansi;

    public Screen(PrintWriter out, Ansi ansi) {
        this.out = out;
        this.ansi = ansi;
    }

    /** Whether the output is a terminal, on which lines can be overwritten. */
    boolean isTerminal() {
        return ansi.enabled();
    }

    public void blank() {
        line("");
    }

    public void line(String text) {
        out.println(text);
        out.flush();
    }

    /** Writes a heading. */
    public void heading(String text) {
        blank();
        line(styled("bold", text));
    }

    /** Writes a paragraph, indented, in as many lines as it needs. */
    public void paragraph(String words) {
        for (String line : wrapped(words, WIDTH - INDENT.length())) {
            line(INDENT + line);
        }
    }

    /** Writes a table, indented. Rows that are too long end in three dots. */
    public void table(Table table) {
        List<String> lines = table.lines();
        line(styled("bold", cut(INDENT + lines.get(0))));
        for (String row : lines.subList(1, lines.size())) {
            line(cut(INDENT + row));
        }
    }

    /**
     * Shows the progress of a task: on a terminal over the text shown before, otherwise as a new line.
     * {@link #endProgress} ends the task.
     */
    public void progress(String text) {
        if (isTerminal()) {
            overwrite(text);
        } else {
            line(text);
        }
    }

    /** Ends a task. On a terminal, its line is removed. Other output can follow. */
    public void endProgress() {
        if (isTerminal()) {
            overwrite("");
        }
    }

    private void overwrite(String text) {
        out.print("\r" + text + "\u001b[K");
        out.flush();
    }

    private String styled(String style, String text) {
        // Adds styles here instead of with picocli's markup, because the text may contain that markup's characters.
        return ansi.enabled()
                ? Ansi.Style.on(Ansi.Style.parse(style)) + text + Ansi.Style.off(Ansi.Style.parse(style))
                : text;
    }

    private static String cut(String line) {
        return line.length() <= WIDTH ? line : line.substring(0, WIDTH - DOTS.length()) + DOTS;
    }

    static List<String> wrapped(String words, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : words.split(" ", -1)) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
