package io.evenkeel.placement.call;

/** The kinds of errors that calls return: the codes of google.rpc.Code that are in use. */
public enum ErrorCode {
    INVALID_ARGUMENT(3),
    NOT_FOUND(5),
    RESOURCE_EXHAUSTED(8),
    FAILED_PRECONDITION(9),
    ABORTED(10),
    UNAVAILABLE(14);

    private final int number;

    ErrorCode(int number) {
        this.number = number;
    }

    /** The number of the code in google.rpc.Code. */
    public int number() {
        return number;
    }
}
