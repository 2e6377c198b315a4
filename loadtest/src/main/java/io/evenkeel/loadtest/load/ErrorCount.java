package io.evenkeel.loadtest.load;

/**
 * How many calls failed with one status, for one reason.
 *
 * @param reason as in {@link Fault}
 * @param example the message of the first of them
 */
public record ErrorCount(String status, String reason, long calls, String example) {
    /** As {@link Fault#kind}. */
    public String kind() {
        return Fault.kind(status, reason);
    }

    ErrorCount plus(ErrorCount later) {
        return new ErrorCount(status, reason, calls + later.calls, example);
    }
}
