package io.evenkeel.placement;

import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.util.HashMap;
import java.util.Map;

/** The approximate bytes that the changes of sessions take, in total and by caller. Thread-safe. */
final class CountedBytes {
    private final long most;
    private final long mostOfCaller;

    // Guarded by this object's lock.
    private long ofAll;

    /** Without callers whose sessions take nothing. */
    private final Map<Object, Long> ofCallers = new HashMap<>();

    CountedBytes(Limits limits) {
        most = limits.sessionBytes();
        mostOfCaller = limits.callerSessionBytes();
    }

    /**
     * Counts bytes of a session.
     *
     * @param owner the session's caller
     * @param more negative if it takes fewer than before, for which there always is room
     * @throws RequestException if that would be too much; then nothing is counted
     */
    synchronized void add(Object owner, long more) {
        long all = ofAll + more;
        long ofCaller = ofCallers.getOrDefault(owner, 0L) + more;
        if (more > 0 && ofCaller > mostOfCaller) {
            throw full("this caller's sessions", mostOfCaller);
        }
        if (more > 0 && all > most) {
            throw full("all sessions", most);
        }
        ofAll = all;
        if (ofCaller == 0) {
            ofCallers.remove(owner);
        } else {
            ofCallers.put(owner, ofCaller);
        }
    }

    private static RequestException full(String whose, long most) {
        return RequestException.of(
                ErrorReason.ERROR_REASON_STATE_FULL,
                "the changes in " + whose + " would take more than the limit of " + most
                        + " bytes; revert changes, or close sessions");
    }
}
