package io.evenkeel.loadtest.text;

import io.evenkeel.cli.TextTable;
import java.io.PrintWriter;
import java.util.Arrays;

/** A table of measurements. A column whose title ends with {@code >} is right-aligned; the mark is not shown. */
public final class Table {
    private static final int INDENT = 2;
    private static final String RIGHT = ">";

    private final TextTable table = new TextTable(INDENT);

    public Table(String... columns) {
        for (String column : columns) {
            if (column.endsWith(RIGHT)) {
                table.right(column.substring(0, column.length() - RIGHT.length()));
            } else {
                table.left(column);
            }
        }
    }

    /** Adds a row. Numbers of any type are written with commas between groups of three digits. */
    public Table row(Object... cells) {
        table.row(Arrays.stream(cells).map(Table::text).toList());
        return this;
    }

    private static String text(Object cell) {
        return cell instanceof Integer || cell instanceof Long
                ? Numbers.grouped(((Number) cell).longValue())
                : cell.toString();
    }

    /** Prints the titles, then the rows. */
    public void print(PrintWriter out) {
        StringBuilder text = new StringBuilder();
        table.appendTo(text);
        text.toString().lines().forEach(out::println);
    }
}
