package io.evenkeel.loadtest.load;

/**
 * How many calls failed with one status.
 *
 * @param example the message of the first of them
 */
public record ErrorCount(String status, long calls, String example) {
    ErrorCount plus(ErrorCount later) {
        return new ErrorCount(status, calls + later.calls, example);
    }
}
