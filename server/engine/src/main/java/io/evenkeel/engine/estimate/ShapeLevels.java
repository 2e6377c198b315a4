package io.evenkeel.engine.estimate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How many pods of one shape the nodes of a trial can hold at the end, exactly if it has at most one zone-like and one
 * hostname-like constraint and room is the only other limit. Otherwise it is an upper bound.
 *
 * <pre>
 *   low   the lowest count of any node at the end: each node has from low to low + maxSkew, so it takes
 *         from max(0, low − count) to min(room, low + maxSkew − count) pods
 *   base  the lowest count of any zone at the end: each zone that takes a pod has from base to base + maxSkew
 * </pre>
 *
 * A greater base raises what each zone takes at least and at most. So for each low, the best base is the greatest one
 * for which the zones need not take more pods than there are.
 */
final class ShapeLevels {
    private final Trial trial;
    private final @Nullable HardConstraint zone;
    private final @Nullable HardConstraint host;
    private final int pods;
    private final int[] zoneOf;
    private final int[] room;
    private final int[] hostCount;
    private final int[] zoneCount;
    private final boolean[] isZone;
    private final int greatestLow;
    private final int[] least;
    private final int[] most;
    private int best;
    private int bestLow;
    private int bestBase;

    /** @param pods how many pods of the shape are to be placed */
    ShapeLevels(Trial trial, int shape, int pods, @Nullable HardConstraint zone, @Nullable HardConstraint host) {
        this.trial = trial;
        this.zone = zone;
        this.host = host;
        this.pods = pods;
        int nodes = trial.nodes();
        zoneOf = new int[nodes];
        room = new int[nodes];
        hostCount = new int[nodes];
        if (zone == null) {
            zoneCount = new int[1];
            isZone = new boolean[] {true};
        } else {
            Tally tally = trial.tallies[zone.counted()];
            zoneCount = new int[tally.size()];
            isZone = new boolean[tally.size()];
            for (int z = 0; z < zoneCount.length; z++) {
                zoneCount[z] = tally.count(z);
                isZone[z] = tally.isEligible(z);
            }
        }
        for (int node = 0; node < nodes; node++) {
            room[node] = trial.room(shape, node);
            zoneOf[node] = room[node] == 0 || zone == null ? 0 : trial.domain(key(zone), node);
            hostCount[node] = host == null || room[node] == 0
                    ? 0
                    : trial.tallies[host.counted()].count(trial.domain(key(host), node));
        }
        greatestLow = host == null ? 0 : greatestLow(trial.tallies[host.counted()], host);
        least = new int[zoneCount.length];
        most = new int[zoneCount.length];
        best = -1;
        int low = 0;
        while (low <= greatestLow && tryLow(low)) {
            low++;
        }
    }

    /** The pods that can be placed. */
    int placed() {
        return Math.max(0, best);
    }

    /**
     * For each node of the trial, how many pods it gets; nodes that come first in {@code order} get more.
     *
     * @param isEven whether nodes take turns instead of being filled one after the other
     */
    int[] placements(int[] order, boolean isEven) {
        int[] placements = new int[trial.nodes()];
        if (best <= 0) {
            return placements;
        }
        ranges(bestLow);
        int[] share = shares();
        for (int node = 0; node < placements.length; node++) {
            placements[node] = nodeLeast(node, bestLow);
            share[zoneOf[node]] -= placements[node];
        }
        int each = isEven ? 1 : pods;
        boolean isMore = true;
        while (isMore) {
            isMore = false;
            for (int node : order) {
                int more = Math.min(each, Math.min(share[zoneOf[node]], nodeMost(node, bestLow) - placements[node]));
                placements[node] += more;
                share[zoneOf[node]] -= more;
                isMore |= more > 0 && isEven;
            }
        }
        return placements;
    }

    private int key(HardConstraint constraint) {
        return trial.ground.problem.counted().get(constraint.counted()).key;
    }

    private int greatestLow(Tally tally, HardConstraint host) {
        if (tally.domains() < host.minDomains()) {
            return 0;
        }
        int[] atMost = new int[tally.size()];
        for (int domain = 0; domain < atMost.length; domain++) {
            atMost[domain] = tally.isEligible(domain) ? tally.count(domain) : Integer.MAX_VALUE / 2;
        }
        for (int node = 0; node < room.length; node++) {
            if (room[node] > 0) {
                atMost[trial.domain(key(host), node)] += room[node];
            }
        }
        return Math.max(0, Arrays.stream(atMost).min().orElse(0));
    }

    private int nodeLeast(int node, int low) {
        return room[node] == 0 || host == null ? 0 : Math.max(0, low - hostCount[node]);
    }

    private int nodeMost(int node, int low) {
        return host == null ? room[node] : Math.max(0, Math.min(room[node], low + host.maxSkew() - hostCount[node]));
    }

    /** What each zone takes at least and at most. */
    private void ranges(int low) {
        Arrays.fill(least, 0);
        Arrays.fill(most, 0);
        for (int node = 0; node < room.length; node++) {
            if (room[node] > 0) {
                least[zoneOf[node]] += nodeLeast(node, low);
                most[zoneOf[node]] = Math.min(pods, most[zoneOf[node]] + nodeMost(node, low));
            }
        }
    }

    /** Returns false if there are too few pods for this low and all greater ones. */
    private boolean tryLow(int low) {
        trial.ground.stop.check();
        ranges(low);
        int base = greatestBase();
        if (base < 0) {
            return false;
        }
        long high = 0;
        for (int z = 0; z < zoneCount.length; z++) {
            if (zoneLeast(z, base) > zoneMost(z, base)) {
                return true;
            }
            high += zoneMost(z, base);
        }
        int placed = (int) Math.min(pods, high);
        if (placed > best) {
            best = placed;
            bestLow = low;
            bestBase = base;
        }
        return true;
    }

    /** The greatest base that the zones can reach with the pods that there are; negative if there is none. */
    private int greatestBase() {
        int from = 0;
        int to = 0;
        if (zone != null && trial.tallies[zone.counted()].domains() >= zone.minDomains()) {
            to = Integer.MAX_VALUE / 2;
            for (int z = 0; z < zoneCount.length; z++) {
                if (isZone[z]) {
                    to = Math.min(to, zoneCount[z] + most[z]);
                }
            }
        }
        if (leastOfAll(0) > pods) {
            return -1;
        }
        while (from < to) {
            int middle = (int) ((from + (long) to + 1) / 2);
            if (leastOfAll(middle) <= pods) {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        return from;
    }

    private long leastOfAll(int base) {
        long sum = 0;
        for (int z = 0; z < zoneCount.length; z++) {
            sum += zoneLeast(z, base);
        }
        return sum;
    }

    private int zoneLeast(int z, int base) {
        return zone == null || !isZone[z] ? least[z] : Math.max(least[z], base - zoneCount[z]);
    }

    private int zoneMost(int z, int base) {
        return zone == null ? most[z] : Math.max(0, Math.min(most[z], base + zone.maxSkew() - zoneCount[z]));
    }

    private int[] shares() {
        int[] share = new int[zoneCount.length];
        int left = best;
        for (int z = 0; z < share.length; z++) {
            share[z] = zoneLeast(z, bestBase);
            left -= share[z];
        }
        while (left > 0) {
            int lowest = -1;
            for (int z = 0; z < share.length; z++) {
                if (share[z] < zoneMost(z, bestBase)
                        && (lowest < 0 || zoneCount[z] + share[z] < zoneCount[lowest] + share[lowest])) {
                    lowest = z;
                }
            }
            share[lowest]++;
            left--;
        }
        return share;
    }
}
