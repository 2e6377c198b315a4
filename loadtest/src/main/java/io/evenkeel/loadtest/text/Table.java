package io.evenkeel.loadtest.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows in aligned columns, two blanks apart. Columns whose title ends with {@code >} stand to the right, without that
 * mark.
 */
public final class Table {
    private static final String RIGHT = ">";
    private static final String GAP = "  ";

    private final List<String> titles = new ArrayList<>();
    private final List<Boolean> right = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... columns) {
        for (String column : columns) {
            boolean isRight = column.endsWith(RIGHT);
            right.add(isRight);
            titles.add(isRight ? column.substring(0, column.length() - RIGHT.length()) : column);
        }
    }

    /** Adds a row; numbers of any kind are written with a comma before each three digits. */
    public Table row(Object... cells) {
        if (cells.length != titles.size()) {
            throw new IllegalArgumentException("a row must have " + titles.size() + " cells, had " + cells.length);
        }
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(
                    cell instanceof Integer || cell instanceof Long
                            ? Numbers.grouped(((Number) cell).longValue())
                            : cell.toString());
        }
        rows.add(row);
        return this;
    }

    /** The titles, then the rows. */
    List<String> lines() {
        int[] widths = new int[titles.size()];
        widen(widths, titles);
        for (List<String> row : rows) {
            widen(widths, row);
        }
        List<String> lines = new ArrayList<>();
        lines.add(line(titles, widths));
        for (List<String> row : rows) {
            lines.add(line(row, widths));
        }
        return lines;
    }

    private static void widen(int[] widths, List<String> cells) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], cells.get(i).length());
        }
    }

    private String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(i == 0 ? "" : GAP);
            String blanks = " ".repeat(widths[i] - cells.get(i).length());
            line.append(right.get(i) ? blanks + cells.get(i) : cells.get(i) + blanks);
        }
        return line.toString().stripTrailing();
    }
}
