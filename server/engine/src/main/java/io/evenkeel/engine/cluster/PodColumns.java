package io.evenkeel.engine.cluster;

import java.util.Arrays;

/**
 * Class and host of the pods that count, as the last look through them left it: the next look reads 8 bytes a pod, one
 * after another, instead of rows that come from memory.
 *
 * <pre>
 *   classes[pod]   for ids from begin to below end; NONE where the pod is on no host or does not count
 *   hosts[pod]
 *   moved          ids of pods that came, went or changed since, as often as they did; taken over before the next look
 * </pre>
 *
 * Invariant: a pod of these ids that is not among the moved stands here as in its row. Where more pods move than a look
 * would gain by, all is forgotten, and nothing is noted until there is a next look: who does not look pays next to
 * nothing.
 *
 * <p>Noted by the engine's one writer; looked at by one at a time, while nobody writes.
 */
public final class PodColumns {
    /** What looks at pods in the order of their ids. */
    public interface Visitor {
        /** A pod of that class is on that host and counts. */
        void visit(int labelClass, int host);
    }

    public static final int NONE = -1;

    private static final int[] EMPTY = {};
    private static final int LEAST_MOVED = 8;
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

    /** A pod that is on a host has come or goes, or is about to change. */
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

    /** Shows {@code visitor} each pod from {@code from} up to {@code to} that is on a host and counts. */
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

    /** The first pod that stands here otherwise than in its row, or NONE. */
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
            moved = new int[Math.max(LEAST_MOVED, classes.length / PODS_A_MOVE)];
        }
        table.copyCounting(end, to, classes, hosts);
        end = to;
    }
}
