package io.evenkeel.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A table for a terminal. Columns are as wide as their cells, with two spaces between them; the last column is wrapped
 * if the line would be too long.
 */
public final class TextTable {
    private static final String GAP = "  ";
    private static final int MIN_WRAPPED = 24;

    private final int indent;
    private final List<Column> columns = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    private record Column(String title, boolean right) {}

    /** @param indent spaces before each line */
    public TextTable(int indent) {
        this.indent = indent;
    }

    /** Adds a left-aligned column. */
    public TextTable left(String title) {
        columns.add(new Column(Paragraphs.printable(title), false));
        return this;
    }

    /** Adds a right-aligned column. */
    public TextTable right(String title) {
        columns.add(new Column(Paragraphs.printable(title), true));
        return this;
    }

    /**
     * Adds a row.
     *
     * @param cells one for each column
     */
    public void row(List<?> cells) {
        if (cells.size() != columns.size()) {
            throw new IllegalArgumentException("must have " + columns.size() + " cells, had " + cells.size());
        }
        rows.add(cells.stream()
                .map(cell -> Paragraphs.printable(String.valueOf(cell)))
                .toList());
    }

    /** Adds a row. */
    public void row(Object... cells) {
        row(Arrays.asList(cells));
    }

    /** Adds a row of text that says what is omitted. */
    public void gap(String text) {
        List<String> cells = new ArrayList<>(Collections.nCopies(columns.size(), ""));
        cells.set(0, text);
        row(cells);
    }

    /** Appends the titles and the first rows, and says how many are omitted. */
    public void appendTo(StringBuilder text, int maxRows) {
        int omitted = rows.size() - maxRows;
        if (omitted > 0) {
            rows.subList(maxRows, rows.size()).clear();
            gap("... " + omitted + " more");
        }
        appendTo(text);
    }

    /** Appends the titles and the rows. */
    public void appendTo(StringBuilder text) {
        int[] widths = new int[columns.size()];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = columns.get(column).title.length();
            for (List<String> row : rows) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        int last = widths.length - 1;
        int before = indent
                + Arrays.stream(widths, 0, last)
                        .map(each -> each + GAP.length())
                        .sum();
        widths[last] = Math.min(widths[last], Math.max(MIN_WRAPPED, Paragraphs.WIDTH - before));
        line(text, widths, columns.stream().map(Column::title).toList());
        for (List<String> row : rows) {
            List<String> wrapped = Paragraphs.wrap(row.get(last), widths[last]);
            for (int i = 0; i < Math.max(1, wrapped.size()); i++) {
                List<String> cells = new ArrayList<>(
                        i == 0 ? row : row.stream().map(cell -> "").toList());
                cells.set(last, wrapped.isEmpty() ? "" : wrapped.get(i));
                line(text, widths, cells);
            }
        }
    }

    private void line(StringBuilder text, int[] widths, List<String> cells) {
        StringBuilder line = new StringBuilder(" ".repeat(indent));
        for (int column = 0; column < widths.length; column++) {
            String cell = cells.get(column);
            String padding = " ".repeat(Math.max(0, widths[column] - cell.length()));
            line.append(columns.get(column).right ? padding + cell : cell + padding)
                    .append(GAP);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
