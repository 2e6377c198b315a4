package io.evenkeel.placement;

import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The approximate bytes that one session takes for its differences, which count towards a limit for all sessions.
 * Thread-safe, because a session can end during a change.
 *
 * <pre>
 *   added     the size of the session's objects, less that of the objects of the cluster that it began as
 *   undo      what the open forks take to be reverted
 *   counted   what counts towards the limit: the sum, without a negative part
 * </pre>
 */
final class SessionBytes {
    /** What an object or a change takes in addition to its texts. */
    private static final int EACH = 256;

    private final AtomicLong ofAll;
    private final long most;
    private final Deque<Fork> forks = new ArrayDeque<>();
    private long added;
    private long undo;
    private long counted;
    private boolean isClosed;

    /** The bytes before a fork began. */
    private record Fork(long added, long undo) {}

    /** @param ofAll the bytes of all sessions */
    SessionBytes(AtomicLong ofAll, long most) {
        this.ofAll = ofAll;
        this.most = most;
    }

    /** The size of a pod. */
    static long of(PodRecord pod) {
        return EACH + pod.footprint();
    }

    /** The size of a node. */
    static long of(NodeObject node) {
        long bytes = EACH;
        for (var label : node.labels().entrySet()) {
            bytes += label.getKey().length() + label.getValue().length();
        }
        for (var taint : node.taints()) {
            bytes += taint.key().length() + taint.value().length();
        }
        NodeAllocatable allocatable = node.allocatable();
        if (allocatable != null) {
            for (String resource : allocatable.amounts().keySet()) {
                bytes += resource.length() + Long.BYTES;
            }
        }
        return bytes;
    }

    /**
     * Records changes before they are made. With all numbers negated, records that they are not made after all.
     *
     * @param changes how many objects they change
     * @param more the size of what they add
     * @param less the size of what they remove
     * @throws RequestException if the differences of all sessions would take too much
     */
    synchronized void change(int changes, long more, long less) {
        long undoMore = forks.isEmpty() ? 0 : (long) changes * EACH + less;
        added += more - less;
        undo += undoMore;
        if (!count()) {
            added -= more - less;
            undo -= undoMore;
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_STATE_FULL,
                    "the differences of all sessions are limited to " + most + " bytes: revert, or close sessions");
        }
    }

    synchronized void fork() {
        forks.push(new Fork(added, undo));
        try {
            change(1, 0, 0);
        } catch (RequestException e) {
            forks.pop();
            throw e;
        }
    }

    synchronized void revert() {
        Fork before = forks.pop();
        added = before.added;
        undo = before.undo;
        count();
    }

    synchronized void commit() {
        forks.pop();
        // The mark of the fork is gone, too.
        undo = forks.isEmpty() ? 0 : undo - EACH;
        count();
    }

    /** Gives back everything. From now on, nothing counts. */
    synchronized void close() {
        isClosed = true;
        ofAll.addAndGet(-counted);
    }

    /** Counts what the session takes now, unless that is more than before and too much; returns false if it is. */
    private boolean count() {
        long now = Math.max(0, added) + undo;
        long more = isClosed ? 0 : now - counted;
        if (ofAll.addAndGet(more) > most && more > 0) {
            ofAll.addAndGet(-more);
            return false;
        }
        counted = now;
        return true;
    }
}
