package io.evenkeel.placement;

import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.placement.call.RequestException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The approximate bytes that one session takes for its differences, which count towards the limits of
 * {@link CountedBytes}. Thread-safe, because a session can end during a change.
 *
 * <pre>
 *   added     the size of the session's objects, less that of the objects of the cluster that it began as
 *   undo      what the open forks take to be reverted
 *   counted   what counts towards the limits: the sum, without a negative part
 * </pre>
 */
final class SessionBytes {
    /** What an object or a change takes in addition to its texts. */
    private static final int EACH = 256;

    private final CountedBytes ofAll;
    private final Object owner;
    private final Deque<Fork> forks = new ArrayDeque<>();
    private long added;
    private long undo;
    private long counted;
    private boolean isClosed;

    /** The bytes before a fork began. */
    private record Fork(long added, long undo) {}

    /**
     * @param ofAll the bytes of all sessions
     * @param owner the session's caller
     */
    SessionBytes(CountedBytes ofAll, Object owner) {
        this.ofAll = ofAll;
        this.owner = owner;
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
     * @throws RequestException if the differences of all sessions, or of the caller's, would take too much
     */
    synchronized void change(int changes, long more, long less) {
        long undoMore = forks.isEmpty() ? 0 : (long) changes * EACH + less;
        added += more - less;
        undo += undoMore;
        try {
            count();
        } catch (RequestException e) {
            added -= more - less;
            undo -= undoMore;
            throw e;
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
        ofAll.add(owner, -counted);
    }

    /** Counts what the session takes now, if there is room for it. */
    private void count() {
        long now = Math.max(0, added) + undo;
        if (!isClosed) {
            ofAll.add(owner, now - counted);
        }
        counted = now;
    }
}
