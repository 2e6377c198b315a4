package io.evenkeel.engine.victims;

import java.util.Arrays;

/**
 * What the deletions of pods change, in numbers.
 *
 * <p>A spot is the pods of one label class, node and stage, which count in the same way. Its domain in a constraint is
 * private if no other spot is in it. Spots of a kind can replace each other: they are in the same shared domains, and
 * their private domains have the same other pods. Spots of one kind with equally many pods form a cell, and a deletion
 * moves a spot from its cell to the one below. So a state is the number of spots in each cell.
 *
 * <pre>
 *   kind k       stage[k]      when its pods are deleted
 *                begin[k]      its cells are begin[k] + 0, 1, … pods, up to begin[k + 1]
 *   k, c         domain[k][c]  the shared domain of its spots in constraint c, or PRIVATE, or UNCOUNTED
 *                base[k][c]    how many other pods count in a private domain
 *   constraint c maxSkew[c]    what is above it is the excess; Integer.MAX_VALUE if there is no limit
 *                zero[c]       whether the global minimum is always 0
 *                resting[c]    of the eligible domains without spots: the lowest count, the highest, and how many have
 *                              the highest; empty if there are no such domains
 *                shared[c]     the counts of its shared domains
 *   cells                      how many spots each cell has
 * </pre>
 */
final class Deletions {
    static final int PRIVATE = -1;
    static final int UNCOUNTED = -2;

    /** The weight of a pod beyond maxSkew, compared with one within it. */
    private static final long EXCESS = 1_000;

    final int[] stage;
    final int[] begin;
    final int[][] domain;
    final int[][] base;
    final int[] maxSkew;
    final boolean[] zero;
    final int[][] resting;
    final int[][] shared;
    final int[] cells;

    Deletions(
            int[] stage,
            int[] begin,
            int[][] domain,
            int[][] base,
            int[] maxSkew,
            boolean[] zero,
            int[][] resting,
            int[][] shared,
            int[] cells) {
        this.stage = stage;
        this.begin = begin;
        this.domain = domain;
        this.base = base;
        this.maxSkew = maxSkew;
        this.zero = zero;
        this.resting = resting;
        this.shared = shared;
        this.cells = cells;
    }

    int constraints() {
        return maxSkew.length;
    }

    int kinds() {
        return stage.length;
    }

    /** What the skew of a constraint adds to the measure of a state, of which less is better. */
    long measure(int constraint, int skew) {
        return skew + EXCESS * Math.max(0, (long) skew - maxSkew[constraint]);
    }

    /**
     * The counts after some deletions.
     *
     * <pre>
     *   minimum, maximum   by constraint
     *   fullest            by constraint: how many domains have the maximum
     * </pre>
     */
    static final class State {
        private final Deletions all;
        private final int[] cells;
        private final int[][] shared;
        private final int[] minimum;
        private final int[] maximum;
        private final int[] fullest;

        /** Before the first deletion. */
        State(Deletions all) {
            this.all = all;
            cells = all.cells.clone();
            shared = copy(all.shared);
            minimum = new int[all.constraints()];
            maximum = new int[all.constraints()];
            fullest = new int[all.constraints()];
            for (int c = 0; c < all.constraints(); c++) {
                recount(c);
            }
        }

        State(State from) {
            all = from.all;
            cells = from.cells.clone();
            shared = copy(from.shared);
            minimum = from.minimum.clone();
            maximum = from.maximum.clone();
            fullest = from.fullest.clone();
        }

        private static int[][] copy(int[][] of) {
            return Arrays.stream(of).map(int[]::clone).toArray(int[][]::new);
        }

        /** How many spots are in a cell. */
        int spots(int cell) {
            return cells[cell];
        }

        int skew(int constraint) {
            return maximum[constraint] - minimum[constraint];
        }

        /** The measure after the deletion of one more pod, of a spot of a kind with {@code pods} pods. */
        long measureWithout(int kind, int pods) {
            long measure = 0;
            for (int c = 0; c < minimum.length; c++) {
                int count = count(kind, pods, c);
                boolean lowers = count == maximum[c] && fullest[c] == 1;
                int lowest = count < 0 || all.zero[c] ? minimum[c] : Math.min(minimum[c], count - 1);
                measure += all.measure(c, maximum[c] - (lowers ? 1 : 0) - lowest);
            }
            return measure;
        }

        /** By how much the sum of the squares of all counts falls with such a deletion. */
        long squaresLost(int kind, int pods) {
            long lost = 0;
            for (int c = 0; c < minimum.length; c++) {
                int count = count(kind, pods, c);
                lost += count < 0 ? 0 : 2L * count - 1;
            }
            return lost;
        }

        /** Deletes a pod of a spot of a kind with {@code pods} pods. */
        void delete(int kind, int pods) {
            int cell = all.begin[kind] + pods;
            int[] counts = new int[minimum.length];
            for (int c = 0; c < counts.length; c++) {
                counts[c] = count(kind, pods, c);
                if (all.domain[kind][c] >= 0) {
                    shared[c][all.domain[kind][c]]--;
                }
            }
            cells[cell]--;
            cells[cell - 1]++;
            for (int c = 0; c < counts.length; c++) {
                if (counts[c] == maximum[c] && --fullest[c] == 0) {
                    recount(c);
                } else if (counts[c] >= 0 && !all.zero[c]) {
                    minimum[c] = Math.min(minimum[c], counts[c] - 1);
                }
            }
        }

        /** The count of the domain that a spot is in; negative if its pods do not count. */
        private int count(int kind, int pods, int constraint) {
            int domain = all.domain[kind][constraint];
            if (domain >= 0) {
                return shared[constraint][domain];
            }
            return domain == PRIVATE ? all.base[kind][constraint] + pods : UNCOUNTED;
        }

        private void recount(int c) {
            int[] resting = all.resting[c];
            minimum[c] = Integer.MAX_VALUE;
            maximum[c] = 0;
            fullest[c] = 0;
            if (resting.length > 0) {
                take(c, resting[0], 0);
                take(c, resting[1], resting[2]);
            }
            for (int count : shared[c]) {
                take(c, count, 1);
            }
            for (int kind = 0; kind < all.kinds(); kind++) {
                if (all.domain[kind][c] == PRIVATE) {
                    for (int cell = all.begin[kind]; cell < all.begin[kind + 1]; cell++) {
                        if (cells[cell] > 0) {
                            take(c, all.base[kind][c] + cell - all.begin[kind], cells[cell]);
                        }
                    }
                }
            }
            if (all.zero[c] || minimum[c] == Integer.MAX_VALUE) {
                minimum[c] = 0;
            }
        }

        private void take(int c, int count, int domains) {
            minimum[c] = Math.min(minimum[c], count);
            if (count > maximum[c]) {
                maximum[c] = count;
                fullest[c] = domains;
            } else if (count == maximum[c]) {
                fullest[c] += domains;
            }
        }
    }
}
