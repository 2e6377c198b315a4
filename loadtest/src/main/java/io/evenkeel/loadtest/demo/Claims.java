package io.evenkeel.loadtest.demo;

import io.evenkeel.loadtest.text.Screen;

/** Checks the demo's claims about the server's answers, and counts those that are wrong. */
final class Claims {
    private final Screen screen;
    private int made;
    private int broken;

    Claims(Screen screen) {
        this.screen = screen;
    }

    /** Claims that {@code got} equals {@code expected}. Prints both if it does not. */
    void equal(String what, Object expected, Object got) {
        made++;
        if (!expected.equals(got)) {
            broken++;
            screen.paragraph("WRONG: " + what + " must be " + expected + ", was " + got);
        }
    }

    int made() {
        return made;
    }

    int broken() {
        return broken;
    }
}
