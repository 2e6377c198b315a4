package io.evenkeel.loadtest.load;

/** Makes calls for some time, on a schedule ({@link OpenLoop}) or one after another ({@link ClosedLoop}). */
interface Loop {
    /**
     * Makes the calls that are due from {@code start} until {@code end}, by {@link Clock#nanos}. Returns once the last
     * of them is made, or at {@code last}; some may still be in flight.
     */
    void run(long start, long end, long last) throws InterruptedException;

    /** The number of calls in flight. */
    int inProgress();
}
