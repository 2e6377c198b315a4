package io.evenkeel.placement.call;

import io.evenkeel.v1.ErrorReason;

/** The status codes that calls return: the subset of google.rpc.Code in use. */
public enum StatusCode {
    UNKNOWN(2),
    INVALID_ARGUMENT(3),
    DEADLINE_EXCEEDED(4),
    NOT_FOUND(5),
    PERMISSION_DENIED(7),
    RESOURCE_EXHAUSTED(8),
    FAILED_PRECONDITION(9),
    ABORTED(10),
    INTERNAL(13),
    UNAVAILABLE(14),
    UNAUTHENTICATED(16);

    private final int number;

    StatusCode(int number) {
        this.number = number;
    }

    /** The code's number in google.rpc.Code. */
    public int number() {
        return number;
    }

    /** The code of a reason. */
    public static StatusCode of(ErrorReason reason) {
        return switch (reason) {
            case ERROR_REASON_INVALID_FIELD, ERROR_REASON_MALFORMED_REQUEST -> INVALID_ARGUMENT;
            case ERROR_REASON_NODE_UNKNOWN,
                    ERROR_REASON_POD_UNKNOWN,
                    ERROR_REASON_POD_DELETED,
                    ERROR_REASON_NODE_SET_UNKNOWN,
                    ERROR_REASON_SESSION_UNKNOWN -> NOT_FOUND;
            case ERROR_REASON_LIMIT_EXCEEDED, ERROR_REASON_TOO_BUSY, ERROR_REASON_STATE_FULL -> RESOURCE_EXHAUSTED;
            case ERROR_REASON_OTHER_INSTANCE,
                    ERROR_REASON_FRESHNESS_UNKNOWN,
                    ERROR_REASON_NODE_TABLE_UNKNOWN,
                    ERROR_REASON_SNAPSHOT_REQUIRED,
                    ERROR_REASON_POD_BOUND -> FAILED_PRECONDITION;
            case ERROR_REASON_FEED_TAKEN_OVER, ERROR_REASON_ANSWERS_UNREAD -> ABORTED;
            case ERROR_REASON_NOT_FED,
                    ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY,
                    ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF,
                    ERROR_REASON_NOT_REACHED_IN_TIME,
                    ERROR_REASON_STATE_TOO_OLD,
                    ERROR_REASON_SNAPSHOT_UNDER_WAY,
                    ERROR_REASON_FEEDER_ACTIVE,
                    ERROR_REASON_STOPPING,
                    ERROR_REASON_CREDENTIALS_UNCHECKED -> UNAVAILABLE;
            case ERROR_REASON_TIMED_OUT, ERROR_REASON_REQUEST_STALLED -> DEADLINE_EXCEEDED;
            case ERROR_REASON_CREDENTIALS_MISSING, ERROR_REASON_CREDENTIALS_INVALID -> UNAUTHENTICATED;
            case ERROR_REASON_RIGHT_MISSING -> PERMISSION_DENIED;
            case ERROR_REASON_SERVER_FAILED -> INTERNAL;
            case ERROR_REASON_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
        };
    }
}
