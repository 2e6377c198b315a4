package io.evenkeel.placement.call;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits how many calls wait, and the total bytes of their requests. One caller may use at most half of either, but a
 * caller's only request may be of any size. Not thread-safe.
 */
final class WaitingRoom {
    private final int maxCalls;
    private final long maxBytes;
    private final Map<Object, Share> callers = new HashMap<>();
    private final Share all = new Share();

    /** The room that some calls occupy. */
    private static final class Share {
        private int calls;
        private long bytes;

        void add(long more) {
            calls++;
            bytes += more;
        }

        void remove(long less) {
            calls--;
            bytes -= less;
        }
    }

    WaitingRoom(Limits limits) {
        maxCalls = limits.waitingCalls();
        maxBytes = limits.waitingBytes();
    }

    /**
     * Reserves room for a call.
     *
     * @param caller the owner of the call; callers are compared with {@code equals}
     * @param bytes the bytes of its request
     * @throws RequestException if there is no room
     */
    void enter(Object caller, long bytes) {
        if (all.calls >= maxCalls) {
            throw RequestException.tooBusy(
                    "the server already has " + maxCalls + " calls waiting for a newer state; try again later");
        }
        requireRoom(all, bytes, maxBytes, "that wait for a newer state");
        Share own = callers.getOrDefault(caller, new Share());
        if (own.calls >= (maxCalls + 1) / 2) {
            throw RequestException.tooBusy("the server already has " + own.calls
                    + " calls of this connection waiting for a newer state; try again later");
        }
        requireRoom(own, bytes, maxBytes / 2, "of this connection that wait for a newer state");
        all.add(bytes);
        own.add(bytes);
        callers.put(caller, own);
    }

    private static void requireRoom(Share share, long bytes, long most, String whose) {
        if (share.bytes > 0 && bytes > most - share.bytes) {
            throw RequestException.tooBusy("the requests of calls " + whose + " must have at most " + most
                    + " bytes in total, and this one exceeds what is left; try again later");
        }
    }

    /** Releases the room of a call. */
    void leave(Object caller, long bytes) {
        all.remove(bytes);
        callers.computeIfPresent(caller, (key, own) -> {
            own.remove(bytes);
            return own.calls == 0 ? null : own;
        });
    }
}
