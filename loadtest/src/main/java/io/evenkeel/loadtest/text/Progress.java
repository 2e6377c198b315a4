package io.evenkeel.loadtest.text;

import java.util.concurrent.TimeUnit;

/**
 * Shows the progress of a long task: on a terminal as one line that is overwritten, otherwise as an occasional new
 * line. Not thread-safe.
 */
public final class Progress {
    private static final long ON_TERMINAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long ELSEWHERE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Screen screen;
    private final String what;
    private final long total;
    private long done;
    private long lastReported = System.nanoTime();

    /** @param what what is counted, such as "objects sent" */
    public Progress(Screen screen, String what, long total) {
        this.screen = screen;
        this.what = what;
        this.total = total;
    }

    /** Counts one step. */
    public void step() {
        done++;
        if ((done & 0xFF) == 0) {
            long now = System.nanoTime();
            if (now - lastReported >= (screen.isTerminal() ? ON_TERMINAL_NANOS : ELSEWHERE_NANOS)) {
                lastReported = now;
                report();
            }
        }
    }

    /** Ends the task. On a terminal, its line is removed. */
    public void end() {
        screen.endProgress();
    }

    private void report() {
        String text = "  " + Numbers.grouped(done) + " of " + Numbers.grouped(total) + " " + what + " ("
                + 100 * done / Math.max(1, total) + "%)";
        screen.progress(text);
    }
}
