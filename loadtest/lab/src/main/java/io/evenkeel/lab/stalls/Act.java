package io.evenkeel.lab.stalls;

/**
 * A large piece of work that is done while another thread asks.
 *
 * @param name the name of its row
 * @param prepare is done before each measurement, and not measured
 * @param work is measured
 */
record Act(String name, Runnable prepare, Runnable work) {}
