package io.evenkeel.loadtest.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help.Ansi;

/**
 * Where a command writes to. Not safe for use by several threads.
 *
 * <p>Colour is used where {@code ansi} says so: with {@link Ansi#AUTO}, on a terminal unless {@code NO_COLOR} is set.
 */
public final class Screen {
    /** The columns that a line fills at most. */
    public static final int WIDTH = 100;

    private static final String INDENT = "  ";
    private static final String DOTS = "...";

    private final PrintWriter out;
    private final Ansi ansi;

    public Screen(PrintWriter out, Ansi ansi) {
        this.out = out;
        this.ansi = ansi;
    }

    /** Whether the output is a terminal that lines can be written over on. */
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

    /** A line that stands over others. */
    public void heading(String text) {
        blank();
        line(styled("bold", text));
    }

    /** Words in as many lines as they need, indented. */
    public void paragraph(String words) {
        for (String line : wrapped(words, WIDTH - INDENT.length())) {
            line(INDENT + line);
        }
    }

    /** A table, indented; rows that are too long end in three dots. */
    public void table(Table table) {
        List<String> lines = table.lines();
        line(styled("bold", cut(INDENT + lines.get(0))));
        for (String row : lines.subList(1, lines.size())) {
            line(cut(INDENT + row));
        }
    }

    /**
     * How far a task is: written over what was said of it before on a terminal, else a line of its own.
     * {@link #endProgress} ends it.
     */
    public void progress(String text) {
        if (isTerminal()) {
            overwrite(text);
        } else {
            line(text);
        }
    }

    /** The task is over: what was said of it on a terminal goes, and lines may follow. */
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
        // The text may hold the marks of picocli's own markup; styles are put around it here.
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
