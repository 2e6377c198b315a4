package io.evenkeel.lab.scheduler;

/**
 * The largest resident memory of the processes of a turn, in MiB; 0 if the system does not report it.
 *
 * @param asked the Evenkeel server that the scheduler calls
 */
record PeakMemory(double scheduler, double asked) {
    private static final double BYTES = 1 << 20;

    /** The peaks so far. */
    static PeakMemory of(Contender contender) {
        return new PeakMemory(contender.schedulerMemory() / BYTES, contender.evenkeelMemory() / BYTES);
    }
}
