package io.evenkeel.loadtest.feed;

/**
 * A figure of the feed, and its bound.
 *
 * @param holds whether the figure is within its bound
 */
record FeedFigure(String what, String measured, String target, boolean holds) {
    /** {@code pod events: 100/s, must be at least 200/s}. */
    String words() {
        return what + ": " + measured + ", must be " + target;
    }

    static FeedFigure rate(String what, double perSecond, int atLeast) {
        return new FeedFigure(
                what, "%,.0f/s".formatted(perSecond), "at least %,d/s".formatted(atLeast), perSecond >= atLeast);
    }

    static FeedFigure seconds(String what, double seconds, double atMost) {
        return new FeedFigure(what, "%.2f s".formatted(seconds), "at most %.1f s".formatted(atMost), seconds <= atMost);
    }

    static FeedFigure memory(String what, long bytes, int pods, long atMost) {
        return new FeedFigure(
                what,
                "%,d MiB, %d B a pod".formatted(bytes >> 20, bytes / Math.max(1, pods)),
                "at most %,d MiB".formatted(atMost >> 20),
                bytes <= atMost);
    }
}
