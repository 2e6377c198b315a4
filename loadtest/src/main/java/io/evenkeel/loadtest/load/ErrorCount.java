package io.evenkeel.loadtest.load;

/**
 * The number of calls that failed with one status, for one reason.
 *
 * @param reason the reason, as in {@link Fault}
 * @param example the message of the first failure
 */
public record ErrorCount(String status, String reason, long calls, String example) {
    /** The status and the reason, like {@link Fault#kind}. */
    public String kind() {
        return Fault.kind(status, reason);
    }

    ErrorCount plus(ErrorCount later) {
        return new ErrorCount(status, reason, calls + later.calls, example);
    }
}
