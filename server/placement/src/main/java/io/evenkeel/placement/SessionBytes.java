package io.evenkeel.placement;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * The approximate bytes that one session takes for its differences, which count towards a limit for all sessions.
 * Without a fork, these are the objects that the session has added or changed. Within a fork, each change takes more,
 * because it can be reverted. Not thread-safe.
 */
final class SessionBytes {
    /** What a change takes in addition to its object. */
    private static final int OF_A_CHANGE = 256;

    private final AtomicLong ofAll;
    private final long most;

    /** The bytes of objects of the session, by key. Within a fork, it may also have objects that were removed. */
    private final Map<String, Long> objects = new HashMap<>();

    /** For each open fork, the bytes before it began. */
    private final Deque<Long> atForks = new ArrayDeque<>();

    private long own;

    /** @param ofAll the bytes of all sessions */
    SessionBytes(AtomicLong ofAll, long most) {
        this.ofAll = ofAll;
        this.most = most;
    }

    /**
     * Reserves room for changes before they are made.
     *
     * @param changes how many objects they change
     * @param bytes the size of what they add
     * @throws RequestException if the differences of all sessions would take too much
     */
    void take(int changes, long bytes) {
        long more = bytes + (long) changes * OF_A_CHANGE;
        if (ofAll.addAndGet(more) > most) {
            ofAll.addAndGet(-more);
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_STATE_FULL,
                    "the differences of all sessions are limited to " + most + " bytes: revert, or close sessions");
        }
        own += more;
    }

    /** Records one of the changes of {@link #take}: an object that was added or changed. */
    void put(String key, long bytes) {
        Long before = objects.put(key, bytes + OF_A_CHANGE);
        if (before != null && atForks.isEmpty()) {
            giveBack(before);
        }
    }

    /** Records one of the changes of {@link #take}: an object that was removed. */
    void remove(String key) {
        if (atForks.isEmpty()) {
            Long before = objects.remove(key);
            giveBack(OF_A_CHANGE + (before == null ? 0 : before));
        }
    }

    /** Records one of the changes of {@link #take}: an object that has moved. */
    void move(String key) {
        if (atForks.isEmpty() && objects.putIfAbsent(key, (long) OF_A_CHANGE) != null) {
            giveBack(OF_A_CHANGE);
        }
    }

    /** Releases room of {@link #take} for changes that were not made. */
    void giveBack(int changes, long bytes) {
        giveBack(bytes + (long) changes * OF_A_CHANGE);
    }

    private void giveBack(long bytes) {
        own -= bytes;
        ofAll.addAndGet(-bytes);
    }

    void fork() {
        long before = own;
        take(1, 0);
        atForks.push(before);
    }

    /** Gives back what the innermost fork has taken. */
    void revert() {
        giveBack(own - atForks.pop());
    }

    /** @param exists whether the session still has the object with a key */
    void commit(Predicate<String> exists) {
        atForks.pop();
        if (atForks.isEmpty()) {
            objects.keySet().removeIf(exists.negate());
            giveBack(own - objects.values().stream().mapToLong(Long::longValue).sum());
        }
    }

    void giveBackAll() {
        giveBack(own);
    }
}
