package io.evenkeel.loadtest.stalls;

/**
 * Something large that is done while others ask.
 *
 * @param name its row
 * @param prepare done before each time, unmeasured
 * @param work what is measured
 */
record Act(String name, Runnable prepare, Runnable work) {}
