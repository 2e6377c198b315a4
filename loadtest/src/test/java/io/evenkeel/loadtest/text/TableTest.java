package io.evenkeel.loadtest.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TableTest {
    @Test
    void table_alignsNumbersRight_andGroupsTheirDigits() {
        StringWriter text = new StringWriter();
        new Table("zone", "pods>", "verdict")
                .row("a", 1_500, "yes")
                .row("long-name", 7L, "")
                .print(new PrintWriter(text));
        assertEquals(
                List.of("  zone        pods  verdict", "  a          1,500  yes", "  long-name      7"),
                text.toString().lines().toList());
    }
}
