package io.evenkeel.placement.call;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounds how many calls wait, and how many bytes their requests have together. At most half of either is one caller's,
 * but one request alone may be as large as any. Not safe for use by several threads.
 */
final class WaitingRoom {
    private final int mostCalls;
    private final long mostBytes;
    private final Map<Object, Share> callers = new HashMap<>();
    private final Share all = new Share();

    /** What some calls hold. */
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
        mostCalls = limits.waitingCalls();
        mostBytes = limits.waitingBytes();
    }

    /**
     * Takes room for a call.
     *
     * @param caller whose call waits; callers are told apart by {@code equals}
     * @param bytes the bytes of its request
     * @throws RequestException where there is none
     */
    void enter(Object caller, long bytes) {
        if (all.calls >= mostCalls) {
            throw RequestException.tooBusy(
                    "the server has " + mostCalls + " calls waiting for a state already: ask again later");
        }
        requireRoom(all, bytes, mostBytes, "that wait for a state");
        Share own = callers.getOrDefault(caller, new Share());
        if (own.calls >= (mostCalls + 1) / 2) {
            throw RequestException.tooBusy("the server has " + own.calls
                    + " calls of this connection waiting for a state already: ask again later");
        }
        requireRoom(own, bytes, mostBytes / 2, "of this connection that wait for a state");
        all.add(bytes);
        own.add(bytes);
        callers.put(caller, own);
    }

    private static void requireRoom(Share share, long bytes, long most, String whose) {
        if (share.bytes > 0 && bytes > most - share.bytes) {
            throw RequestException.tooBusy("the requests of calls " + whose + " must have at most " + most
                    + " bytes together, and this one has more than is left: ask again later");
        }
    }

    /** Gives back the room of a call that has entered. */
    void leave(Object caller, long bytes) {
        all.remove(bytes);
        callers.computeIfPresent(caller, (key, own) -> {
            own.remove(bytes);
            return own.calls == 0 ? null : own;
        });
    }
}
