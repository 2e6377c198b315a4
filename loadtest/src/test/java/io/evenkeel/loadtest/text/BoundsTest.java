package io.evenkeel.loadtest.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class BoundsTest {
    @Test
    void exitIsOne_andTheFigureIsNamed_whenABoundDoesNotHold() {
        Bounds bounds = new Bounds();
        bounds.add("events: 5/s, must be at least 4/s", true);
        assertEquals(0, bounds.exitCode());
        bounds.add("load: 3 s, must be at most 2 s", false);
        assertEquals(1, bounds.exitCode());
        StringWriter shown = new StringWriter();
        bounds.show(new PrintWriter(shown));
        assertEquals(
                "DOES NOT HOLD: load: 3 s, must be at most 2 s\n1 of 2 bounds hold\n",
                shown.toString().replace("\r", ""));
    }
}
