package io.evenkeel.cli;

/**
 * The exit codes of all commands. A command stopped by a signal exits with 128 plus the signal's number, as in a shell.
 */
public final class ExitCodes {
    /** The command ran and found no problems. */
    public static final int OK = 0;

    /** The command ran and found problems: calls failed, answers differ, or bounds are exceeded. */
    public static final int NOT_WELL = 1;

    /** The command could not run: wrong usage, a file that cannot be read or written, or an unreachable server. */
    public static final int NOT_DONE = 2;

    /** A bug in the program; the stack trace is on standard error. The number is EX_SOFTWARE of sysexits.h. */
    public static final int INTERNAL_ERROR = 70;

    /** The reader of the output closed the pipe. The code is the one of a command stopped by SIGPIPE. */
    static final int NOBODY_READS = 141;

    private ExitCodes() {}
}
