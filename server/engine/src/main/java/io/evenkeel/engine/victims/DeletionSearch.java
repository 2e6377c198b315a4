package io.evenkeel.engine.victims;

import io.evenkeel.engine.lock.StopSignal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.collections.LongHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Searches for an order of deletions with the least measure step by step: the least after the first deletion, then the
 * least after the second, and so on. After each step it keeps all states that reach the least, so that what looks equal
 * at first is decided by the steps that follow. If these are more than it can afford, it keeps the most even ones, and
 * a later step may not be the least.
 */
final class DeletionSearch {
    /**
     * Roughly how many cells of states may be looked at for all steps together; at least one state is kept at a step.
     */
    private static final Comparator<Reached> EVENEST =
            Comparator.comparingLong(Reached::squares).thenComparingLong(Reached::doubled);

    private static final long LOOKS = 50_000_000;

    private static final int MAX_KEPT = 256;

    private final Deletions deletions;
    private final StopSignal stop;

    /** By cell, a number: a state is recognized by the sum over its spots. */
    private final long[] marks;

    DeletionSearch(Deletions deletions, StopSignal stop) {
        this.deletions = deletions;
        this.stop = stop;
        marks = new SplittableRandom(0).longs(deletions.cells.length).toArray();
    }

    /** A pod of a spot of a kind that has {@code pods} pods. */
    record Deletion(int kind, int pods, @Nullable Deletion before) {}

    /**
     * A state that reaches the least measure.
     *
     * @param last the deletion that led there
     * @param mark the sum of the marks of its spots
     * @param squares the sum of the squares of counts, of which less is more even, compared with the beginning
     * @param doubled the same of the pods of spots
     */
    private record Reached(Deletions.State from, @Nullable Deletion last, long mark, long squares, long doubled) {
        /** The state itself. */
        Deletions.State state() {
            Deletions.State state = new Deletions.State(from);
            if (last != null) {
                state.delete(last.kind, last.pods);
            }
            return state;
        }
    }

    /**
     * The deletions, the first one first.
     *
     * @param count how many; at most as many as there are pods
     */
    List<Deletion> run(int count) {
        int kept = kept(count);
        List<Reached> reached = List.of(new Reached(new Deletions.State(deletions), null, 0, 0, 0));
        for (int step = 0; step < count; step++) {
            stop.check();
            reached = next(reached, kept);
        }
        List<Deletion> order = new ArrayList<>();
        for (Deletion each = reached.get(0).last; each != null; each = each.before) {
            order.add(each);
        }
        Collections.reverse(order);
        return order;
    }

    private int kept(int count) {
        long looks = (1L + deletions.constraints()) * deletions.cells.length * Math.max(1, count);
        return (int) Math.max(1, Math.min(MAX_KEPT, LOOKS / looks));
    }

    private List<Reached> next(List<Reached> reached, int kept) {
        List<Reached> best = new ArrayList<>();
        LongHashSet marked = new LongHashSet();
        long least = Long.MAX_VALUE;
        for (Reached before : reached) {
            Deletions.State state = before.state();
            int stage = stage(state);
            for (int kind = 0; kind < deletions.kinds(); kind++) {
                if (deletions.stage[kind] != stage) {
                    continue;
                }
                int begin = deletions.begin[kind];
                // Spots with more pods first, which a ReplicaSet would choose as well.
                for (int pods = deletions.begin[kind + 1] - begin - 1; pods > 0; pods--) {
                    if (state.spots(begin + pods) == 0) {
                        continue;
                    }
                    long measure = state.measureWithout(kind, pods);
                    if (measure > least) {
                        continue;
                    }
                    if (measure < least) {
                        least = measure;
                        best.clear();
                        marked.clear();
                    }
                    long mark = before.mark - marks[begin + pods] + marks[begin + pods - 1];
                    if (marked.add(mark)) {
                        best.add(new Reached(
                                state,
                                new Deletion(kind, pods, before.last),
                                mark,
                                before.squares - state.squaresLost(kind, pods),
                                before.doubled - (2L * pods - 1)));
                        // Later ones come after equal ones, so this loses none that would be kept.
                        if (best.size() >= 4 * kept + 1_024) {
                            best.sort(EVENEST);
                            best.subList(kept, best.size()).clear();
                        }
                    }
                }
            }
        }
        best.sort(EVENEST);
        return best.size() > kept ? new ArrayList<>(best.subList(0, kept)) : best;
    }

    /** The first stage that still has pods. */
    private int stage(Deletions.State state) {
        int first = Integer.MAX_VALUE;
        for (int kind = 0; kind < deletions.kinds(); kind++) {
            int stage = deletions.stage[kind];
            for (int cell = deletions.begin[kind] + 1; stage < first && cell < deletions.begin[kind + 1]; cell++) {
                if (state.spots(cell) > 0) {
                    first = stage;
                }
            }
        }
        return first;
    }
}
