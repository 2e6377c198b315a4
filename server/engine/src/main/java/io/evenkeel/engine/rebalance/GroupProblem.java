package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.lock.StopSignal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The question how the pods of one group are best distributed, while all other pods are on their planned nodes.
 *
 * <pre>
 *   slots                      the nodes that have pods of the group, or that these may enter
 *   now, planned, immovable    by place in slots: how many pods are there, are planned there, and must stay
 *   nested                     the constraints that are levels of the tree, the coarsest first
 *   domainOf                   by level and place in slots: the number of the domain, or NONE
 *   others                     by level and number of the domain: how many other pods count there
 * </pre>
 *
 * Used under the engine's lock, and not thread-safe.
 */
final class GroupProblem {
    final int[] slots;
    final int[] planned;
    private final ReplicaGroup group;
    private final BitSet enterable;
    private final StopSignal stop;
    private final int[] now;
    private final int[] immovable;
    private final List<PlannedSpread> nested = new ArrayList<>();
    private final List<int[]> domainOf = new ArrayList<>();
    private final List<int[]> others = new ArrayList<>();

    /** What {@link #solveWithoutRoom} found, for {@link #solve}. */
    private @Nullable Solution withoutRoom;

    /** The best distribution. */
    static final class Solution {
        final DomainTree tree;
        final WindowSearch.Found found;

        Solution(DomainTree tree, WindowSearch.Found found) {
            this.tree = tree;
            this.found = found;
        }

        /** How many pods it has, by place in slots. */
        int[] targets() {
            return tree.targets(found.lowest, found.highest);
        }
    }

    /**
     * Describes the question.
     *
     * @param spreads the constraints to satisfy, those with the fewest domains first
     * @param allSlots all nodes
     * @param enterable the slots that the pods may enter
     * @param canAllMove whether no pod must stay, whatever it says
     */
    GroupProblem(
            ReplicaGroup group,
            List<PlannedSpread> spreads,
            int[] allSlots,
            BitSet enterable,
            boolean canAllMove,
            StopSignal stop) {
        this.group = group;
        this.enterable = enterable;
        this.stop = stop;
        int limit = allSlots.length == 0 ? 0 : allSlots[allSlots.length - 1] + 1;
        int[] nowOn = group.now(limit);
        slots = Arrays.stream(allSlots)
                .filter(slot -> enterable.get(slot) || nowOn[slot] > 0)
                .toArray();
        now = at(slots, nowOn);
        planned = at(slots, group.planned(limit));
        immovable = new int[slots.length];
        if (!canAllMove) {
            int[] movable = at(slots, group.movable(limit));
            Arrays.setAll(immovable, i -> now[i] - movable[i]);
        }
        spreads.forEach(this::addIfNested);
    }

    private static int[] at(int[] slots, int[] bySlot) {
        int[] values = new int[slots.length];
        for (int i = 0; i < slots.length; i++) {
            values[i] = bySlot[slots[i]];
        }
        return values;
    }

    /** Adds a constraint as the next finer level, unless its domains are not nested in those of the levels so far. */
    private void addIfNested(PlannedSpread spread) {
        int[] counts = spread.counts();
        int[] domains = new int[slots.length];
        int[] first = new int[counts.length];
        Arrays.fill(first, -1);
        boolean isNested = counts.length > 0;
        for (int i = 0; i < slots.length; i++) {
            int domain = spread.domainOf(slots[i]);
            domains[i] = domain;
            if (domain != NumberedDomains.NONE) {
                counts[domain] -= planned[i];
                if (first[domain] < 0) {
                    first[domain] = i;
                }
                for (int[] coarser : domainOf) {
                    isNested &= coarser[first[domain]] == coarser[i];
                }
            }
        }
        if (isNested) {
            nested.add(spread);
            domainOf.add(domains);
            others.add(counts);
        }
    }

    /**
     * The best distribution if nodes have room.
     *
     * @param more by place in slots, how many more pods than planned there is room for
     * @return null if there is none that is as good as the plan
     */
    @Nullable
    Solution solve(int[] more) {
        int[] most = new int[slots.length];
        for (int i = 0; i < slots.length; i++) {
            most[i] = enterable.get(slots[i]) ? Math.max(immovable[i], planned[i] + more[i]) : now[i];
        }
        return solveWithin(most);
    }

    /** The best distribution if nodes have endless room; null if there is none that is as good as the plan. */
    @Nullable
    Solution solveWithoutRoom() {
        int[] most = new int[slots.length];
        for (int i = 0; i < slots.length; i++) {
            most[i] = enterable.get(slots[i]) ? group.pods : now[i];
        }
        withoutRoom = solveWithin(most);
        return withoutRoom;
    }

    private @Nullable Solution solveWithin(int[] most) {
        Solution known = withoutRoom;
        DomainTree tree = known != null
                ? known.tree.within(now, most)
                : DomainTree.of(immovable, now, most, domainOf.toArray(int[][]::new), others.toArray(int[][]::new));
        if (known != null && known.found.isFoundIn(tree)) {
            return new Solution(tree, known.found);
        }
        List<WindowSearch.Limit> limits = nested.stream()
                .map(spread -> new WindowSearch.Limit(
                        spread.constraint.source().maxSkew(), spread.constraint.isBelowMinDomains()))
                .toList();
        WindowSearch.Found found = WindowSearch.search(tree, limits, PlannedSpread.excess(nested), stop);
        return found == null ? null : new Solution(tree, found);
    }
}
