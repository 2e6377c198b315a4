package io.evenkeel.engine.simulation;

import io.evenkeel.engine.cluster.NodeSlots;

/**
 * Finds the first node of a set in a {@link NodeOrder}. When pods are placed one after another, the sets of equal pods
 * shrink by a node at a time, from the first on. So a part of the last set need not be searched from the start.
 */
final class FirstInOrder {
    private final NodeOrder order;
    private long[] last = {};

    /** No node of {@code last} is before this place. */
    private int start;

    FirstInOrder(NodeOrder order) {
        this.order = order;
    }

    /** The first node of a set of {@code words} words, or {@link NodeSlots#NONE} if it is empty. */
    int of(long[] set, int words) {
        if (order.isBySlot()) {
            return lowest(set, words);
        }
        if (last.length != words) {
            last = new long[words];
        }
        long added = 0;
        int size = 0;
        for (int w = 0; w < words; w++) {
            added |= set[w] & ~last[w];
            last[w] = set[w];
            size += Long.bitCount(set[w]);
        }
        start = added == 0 ? start : 0;
        int end = Math.min(order.size(), start + size);
        while (start < end && !order.isIn(set, start)) {
            start++;
        }
        if (start < end) {
            return order.slot(start);
        }
        return size == 0 ? NodeSlots.NONE : least(set, words);
    }

    private static int lowest(long[] set, int words) {
        for (int w = 0; w < words; w++) {
            if (set[w] != 0) {
                return w << 6 | Long.numberOfTrailingZeros(set[w]);
            }
        }
        return NodeSlots.NONE;
    }

    /** The same, by a look at each node of the set, because these are fewer than the nodes before the first. */
    private int least(long[] set, int words) {
        int least = Integer.MAX_VALUE;
        for (int w = 0; w < words; w++) {
            for (long left = set[w]; left != 0; left &= left - 1) {
                least = Math.min(least, order.place(w << 6 | Long.numberOfTrailingZeros(left)));
            }
        }
        start = least;
        return order.slot(least);
    }
}
