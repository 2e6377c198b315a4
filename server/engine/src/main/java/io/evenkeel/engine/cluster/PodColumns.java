package io.evenkeel.engine.cluster;

import java.util.Arrays;

/**
 * Caches the label class and the host of each pod that counts in two arrays. A scan over many pods then reads 8 bytes
 * per pod in sequence, instead of each pod's row in the pod table. The first scan fills the columns.
 *
 * <pre>
 *   classes[pod]   for ids from begin up to end, exclusive; NONE if the pod is on no host or does not count
 *   hosts[pod]
 *   moved          ids of pods that were added, removed or changed since the last scan, once for each change;
 *                  they are read again before the next scan
 * </pre>
 *
 * Invariant: for ids in range that are not in {@code moved}, the columns agree with the rows. If too many pods move for
 * the columns to pay off, they are dropped, and nothing is recorded until the next scan. So events cost almost nothing
 * extra while there are no scans.
 *
 * <p>Only the engine's one writer records. One thread at a time scans, while there are no writes.
 */
public final class PodColumns {
    /** Receives pods in the order of their ids. */
    public interface Visitor {
        /** Called for a pod that is on a host and counts. */
        void visit(int labelClass, int host);
    }

    public static final int NONE = -1;

    private static final int[] EMPTY = {};
    private static final int MIN_MOVED = 8;
    private static final int PODS_A_MOVE = 16;

    private final PodTable table;
    private int[] classes = EMPTY;
    private int[] hosts = EMPTY;
    private int begin;
    private int end;
    private int[] moved = EMPTY;
    private int moves;

    public PodColumns(PodTable table) {
        this.table = table;
    }

    /** Records that a pod on a host was added, changes or is about to be removed. */
    public void note(int pod) {
        if (moves < moved.length) {
            moved[moves++] = pod;
        } else if (moved != EMPTY) {
            forget();
        }
    }

    private void forget() {
        classes = EMPTY;
        hosts = EMPTY;
        moved = EMPTY;
        moves = 0;
        begin = 0;
        end = 0;
    }

    /**
     * Calls {@code visitor} with each pod from {@code from} up to {@code to}, exclusive, that is on a host and counts.
     */
    public void visit(int from, int to, Visitor visitor) {
        takeOverMoved();
        if (from < begin || from > end) {
            begin = from;
            end = from;
        }
        if (to > end) {
            extend(to);
        }
        for (int pod = from; pod < to; pod++) {
            if (classes[pod] != NONE) {
                visitor.visit(classes[pod], hosts[pod]);
            }
        }
    }

    /** For validation: the first pod for which the columns do not agree with its row, or NONE. */
    public int wrong() {
        takeOverMoved();
        int[] one = new int[end];
        int[] other = new int[end];
        table.copyCounting(begin, end, one, other);
        for (int pod = begin; pod < end; pod++) {
            if (classes[pod] != one[pod] || one[pod] != NONE && hosts[pod] != other[pod]) {
                return pod;
            }
        }
        return NONE;
    }

    private void takeOverMoved() {
        for (int i = 0; i < moves; i++) {
            int pod = moved[i];
            if (pod >= begin && pod < end) {
                table.copyCounting(pod, pod + 1, classes, hosts);
            }
        }
        moves = 0;
    }

    private void extend(int to) {
        if (to > classes.length) {
            classes = Arrays.copyOf(classes, Math.max(to, table.limit()));
            hosts = Arrays.copyOf(hosts, classes.length);
            moved = new int[Math.max(MIN_MOVED, classes.length / PODS_A_MOVE)];
        }
        table.copyCounting(end, to, classes, hosts);
        end = to;
    }
}
