package io.evenkeel.cli;

/**
 * The exit codes of all commands of all programs. A command that a signal has stopped exits with 128 + the signal's
 * number, as in a shell.
 */
public final class ExitCodes {
    /** The command was done, and all is well. */
    public static final int OK = 0;

    /** The command was done, but not all is well: calls failed, answers differ, or bounds do not hold. */
    public static final int NOT_WELL = 1;

    /**
     * The command was not done: wrong usage, a file that cannot be read or written, or a server that cannot be reached.
     */
    public static final int NOT_DONE = 2;

    /** The program has a fault, whose stack trace is on standard error. The number is EX_SOFTWARE of sysexits.h. */
    public static final int INTERNAL_ERROR = 70;

    /** The output went to a pipe that nobody reads any more. The code is as if SIGPIPE had stopped the command. */
    static final int NOBODY_READS = 141;

    private ExitCodes() {}
}
