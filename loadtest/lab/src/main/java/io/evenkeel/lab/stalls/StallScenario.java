package io.evenkeel.lab.stalls;

/**
 * A large piece of work that runs while another thread sends queries.
 *
 * @param name the name of its row
 * @param prepare runs before each measurement, unmeasured
 * @param work the measured work
 */
record StallScenario(String name, Runnable prepare, Runnable work) {}
