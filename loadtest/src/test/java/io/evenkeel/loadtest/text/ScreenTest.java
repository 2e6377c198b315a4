package io.evenkeel.loadtest.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

final class ScreenTest {
    @Test
    void table_alignsNumbersRight_andGroupsTheirDigits() {
        String text = printed(
                Ansi.OFF,
                screen -> screen.table(new Table("zone", "pods>", "verdict")
                        .row("a", 1_500, "yes")
                        .row("long-name", 7L, "")));
        assertEquals(
                List.of("  zone        pods  verdict", "  a          1,500  yes", "  long-name      7"),
                text.lines().toList());
    }

    @Test
    void row_endsInDots_whenItIsTooLong() {
        String text = printed(Ansi.OFF, screen -> screen.table(new Table("why").row("x".repeat(200))));
        String row = text.lines().toList().get(1);
        assertEquals(Screen.WIDTH, row.length());
        assertTrue(row.endsWith("xxx..."), row);
    }

    @Test
    void row_isRefused_whenItHasTooFewCells() {
        assertThrows(IllegalArgumentException.class, () -> new Table("a", "b").row("one"));
    }

    @Test
    void paragraph_isWrappedBetweenWords() {
        String words = "word ".repeat(50).strip();
        String text = printed(Ansi.OFF, screen -> screen.paragraph(words));
        text.lines().forEach(line -> assertTrue(line.length() <= Screen.WIDTH && line.startsWith("  word"), line));
        assertEquals(words, String.join(" ", text.lines().map(String::strip).toList()));
    }

    @Test
    void heading_isBold_onlyIfColourIsShown() {
        assertFalse(printed(Ansi.OFF, screen -> screen.heading("title")).contains("\u001b"));
        assertTrue(printed(Ansi.ON, screen -> screen.heading("title")).contains("\u001b[1mtitle\u001b["));
    }

    private static String printed(Ansi ansi, Consumer<Screen> print) {
        StringWriter text = new StringWriter();
        print.accept(new Screen(new PrintWriter(text), ansi));
        return text.toString();
    }
}
