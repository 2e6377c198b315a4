package io.evenkeel.client;

/** How a call or an item failed: the gRPC status codes, with the same names and numbers. */
public enum ErrorCode {
    CANCELLED(1),
    UNKNOWN(2),
    INVALID_ARGUMENT(3),
    DEADLINE_EXCEEDED(4),
    NOT_FOUND(5),
    ALREADY_EXISTS(6),
    PERMISSION_DENIED(7),
    RESOURCE_EXHAUSTED(8),
    FAILED_PRECONDITION(9),
    ABORTED(10),
    OUT_OF_RANGE(11),
    UNIMPLEMENTED(12),
    INTERNAL(13),
    UNAVAILABLE(14),
    DATA_LOSS(15),
    UNAUTHENTICATED(16);

    private static final ErrorCode[] CODES = values();

    private final int number;

    ErrorCode(int number) {
        this.number = number;
    }

    /** The code with that number; UNKNOWN if there is none. */
    public static ErrorCode of(int number) {
        return number < 1 || number > CODES.length ? UNKNOWN : CODES[number - 1];
    }

    /** The number of the same google.rpc.Code, as in {@code ItemError.code}. */
    public int number() {
        return number;
    }
}
