package io.evenkeel.loadtest.demo;

import io.evenkeel.loadtest.text.Screen;

/** What the demo says of the server's answers, and whether it is so. */
final class Claims {
    private final Screen screen;
    private int made;
    private int broken;

    Claims(Screen screen) {
        this.screen = screen;
    }

    /** Claims that what was got is what is expected; says so where it is not. */
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
