package io.evenkeel.engine.rebalance;

import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Distributes pods among parts, one by one to that with the fewest, and among these to that with the most space left,
 * which kube-scheduler's scores prefer. All parts are filled up to the same count at once, and the pods that are left
 * go to those with the most space.
 *
 * <pre>
 *   numbers, counts, rooms, spaces   by place: the part, its pods, how many more it can get, and how much space is left
 * </pre>
 */
final class EvenShares {
    private static final int FEW = 16;

    private int[] numbers = new int[FEW];
    private int[] counts = new int[FEW];
    private int[] rooms = new int[FEW];
    private long[] spaces = new long[FEW];
    private int size;

    /**
     * Adds a part, in ascending order of their numbers.
     *
     * @param room at least 1
     */
    void add(int number, int count, int room, long space) {
        if (size == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * size);
            counts = Arrays.copyOf(counts, 2 * size);
            rooms = Arrays.copyOf(rooms, 2 * size);
            spaces = Arrays.copyOf(spaces, 2 * size);
        }
        numbers[size] = number;
        counts[size] = count;
        rooms[size] = room;
        spaces[size++] = space;
    }

    /**
     * Distributes pods; returns how many are left.
     *
     * @param given gets them, by number of the part
     */
    int give(int pods, int[] given) {
        long level = level(pods);
        int left = pods;
        for (int place = 0; place < size; place++) {
            int its = missing(place, level);
            given[numbers[place]] += its;
            left -= its;
        }
        if (left == 0) {
            return 0;
        }
        // The last of these is at the head.
        PriorityQueue<Integer> next = new PriorityQueue<>(mostSpaceFirst(level).reversed());
        for (int place = 0; place < size; place++) {
            if (missing(place, level + 1) == missing(place, level)) {
                continue;
            }
            if (next.size() == left && mostSpaceFirst(level).compare(place, next.element()) < 0) {
                next.remove();
            }
            if (next.size() < left) {
                next.add(place);
            }
        }
        next.forEach(place -> given[numbers[place]]++);
        return left - next.size();
    }

    private Comparator<Integer> mostSpaceFirst(long level) {
        return Comparator.comparingLong((Integer place) -> missing(place, level) - spaces[place])
                .thenComparingInt(place -> place);
    }

    /** The highest count up to which all parts can be filled, unless they have no room for it. */
    private long level(int pods) {
        long low = 0;
        long high = 1L + pods;
        for (int place = 0; place < size; place++) {
            high = Math.max(high, 1L + counts[place] + rooms[place]);
        }
        while (low < high - 1) {
            long middle = (low + high) >>> 1;
            long missing = 0;
            for (int place = 0; place < size; place++) {
                missing += missing(place, middle);
            }
            if (missing <= pods) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** How many pods a part gets if it is filled up to a count. */
    private int missing(int place, long level) {
        return (int) Math.min(rooms[place], Math.max(0, level - counts[place]));
    }
}
