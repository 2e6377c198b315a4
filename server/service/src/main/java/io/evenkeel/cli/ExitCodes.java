package io.evenkeel.cli;

/**
 * What commands exit with, whichever program they belong to. One that a signal stopped exits with 128 and the signal's
 * number, as a shell has it.
 */
public final class ExitCodes {
    /** It was done, and all is well. */
    public static final int OK = 0;

    /** It was done, and all is not well: calls failed, answers differ, or bounds do not hold. */
    public static final int NOT_WELL = 1;

    /** It was not done: wrong usage, a file that cannot be read or written, or a server that cannot be reached. */
    public static final int NOT_DONE = 2;

    /** The program has a fault; its stack trace is on standard error. The number is EX_SOFTWARE of sysexits.h. */
    public static final int INTERNAL_ERROR = 70;

    /** What it printed went to a pipe that nobody reads any more; as if SIGPIPE had stopped it. */
    static final int NOBODY_READS = 141;

    private ExitCodes() {}
}
