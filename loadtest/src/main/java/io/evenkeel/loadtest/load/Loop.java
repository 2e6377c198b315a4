package io.evenkeel.loadtest.load;

/** Makes calls for some time, on a schedule ({@link OpenLoop}) or one after another ({@link ClosedLoop}). */
interface Loop {
    /**
     * Makes calls that are due from {@code start} until {@code end}, by {@link Clock#nanos}, and returns when the last
     * of them was made; some may still be under way.
     *
     * @throws InterruptedException where the thread was interrupted; calls that were due by then have been recorded
     */
    void run(long start, long end) throws InterruptedException;

    /** How many calls are under way. */
    int underWay();
}
