package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cheapest new nodes for one shape if no other pods were pending, with at most one zone-like and one hostname-like
 * constraint: a closed form, so its cost hardly depends on the number of new nodes.
 *
 * <p>With {@code low} and {@code base} as in {@link ShapeLevels}, a zone takes from {@code base - count} to {@code base
 * + maxSkew - count} pods, and a node from {@code low - count} to {@code low + maxSkew - count}. For each low, each
 * base, and each choice of zones that have no node yet, the pods are divided among the zones so that the nodes that
 * they need cost the least.
 */
final class FewestNodes {
    /** With more zones without nodes, only some choices of zones are tried. */
    private static final int MANY_ZONES = 4;

    private static final long NONE = Long.MAX_VALUE / 4;

    /** About 50 ms. */
    private static final long WORK = 10_000_000;

    private final Ground ground;
    private final int shape;
    private final int pods;
    private final @Nullable HardConstraint zoneConstraint;
    private final @Nullable HardConstraint hostConstraint;
    private final List<Zone> zones = new ArrayList<>();
    private final List<Zone> absent = new ArrayList<>();
    private boolean isBound = true;
    private long price = NONE;
    private long work = WORK;
    private int[] newNodes;

    FewestNodes(Ground ground, int shape, int pods, @Nullable HardConstraint zone, @Nullable HardConstraint host) {
        this.ground = ground;
        this.shape = shape;
        this.pods = pods;
        zoneConstraint = zone;
        hostConstraint = host;
        newNodes = new int[ground.problem.templates().size()];
        int greatestLow = readNodes();
        for (int low = 0; low <= greatestLow && work > 0; low++) {
            ground.stop.check();
            tryLow(low);
        }
        isBound &= work > 0;
    }

    /** Whether there are new nodes that can hold all pods. */
    boolean isFound() {
        return price < NONE;
    }

    /** Whether it is proven that all pods cannot be placed for a lower price. */
    boolean isBound() {
        return isBound;
    }

    long price() {
        return price;
    }

    int[] newNodes() {
        return newNodes;
    }

    /** A zone with its templates, the best first, and what its nodes take for the low that is being tried. */
    private static final class Zone {
        final int count;
        final List<Integer> rows = new ArrayList<>();
        final List<Integer> templates = new ArrayList<>();
        int least;
        int most;

        Zone(int count) {
            this.count = count;
        }
    }

    /** Returns the greatest low to try. */
    private int readNodes() {
        Tally tally = zoneConstraint == null ? null : ground.tallies[zoneConstraint.counted()];
        List<Zone> byDomain = new ArrayList<>();
        for (int z = 0; z < (tally == null ? 1 : tally.size()); z++) {
            byDomain.add(new Zone(tally == null ? 0 : tally.count(z)));
        }
        int largest = 0;
        for (int row = 0; row < ground.rows(); row++) {
            if (ground.enters[shape][row]) {
                Zone zone = byDomain.get(zoneConstraint == null ? 0 : domain(zoneConstraint, row));
                if (row < ground.existing) {
                    zone.rows.add(row);
                } else if (template(row).max > 0) {
                    zone.templates.add(row);
                    largest = Math.max(largest, room(row));
                }
            }
        }
        for (int z = 0; z < byDomain.size(); z++) {
            Zone zone = byDomain.get(z);
            zone.templates.sort(Comparator.comparingDouble(row -> -(double) room(row) / template(row).price));
            isBound &= zone.templates.stream()
                            .map(row -> template(row).price)
                            .distinct()
                            .count()
                    <= 1;
            if (tally == null || tally.isEligible(z)) {
                zones.add(zone);
            } else if (!zone.templates.isEmpty()) {
                absent.add(zone);
            }
        }
        isBound &= absent.size() <= MANY_ZONES;
        return hostConstraint == null ? 0 : Math.min(largest, greatestLow(hostConstraint));
    }

    private int greatestLow(HardConstraint host) {
        Tally tally = ground.tallies[host.counted()];
        // With too few nodes for minDomains, only as many new nodes as are missing could raise low.
        isBound &= tally.domains() >= host.minDomains() || host.minDomains() == 1;
        int[] atMost = new int[tally.size()];
        for (int domain = 0; domain < atMost.length; domain++) {
            atMost[domain] = tally.isEligible(domain) ? tally.count(domain) : Integer.MAX_VALUE / 2;
        }
        for (int row = 0; row < ground.existing; row++) {
            if (ground.enters[shape][row]) {
                atMost[domain(host, row)] += room(row);
            }
        }
        return Arrays.stream(atMost).min().orElse(Integer.MAX_VALUE);
    }

    private int domain(HardConstraint constraint, int row) {
        return ground.domain[ground.problem.counted().get(constraint.counted()).key][row];
    }

    private NodeTemplate template(int row) {
        return ground.problem.templates().get(row - ground.existing);
    }

    private int room(int row) {
        return ground.room(shape, ground.free, row * ground.problem.resources());
    }

    private void tryLow(int low) {
        for (Zone zone : zones) {
            work -= zone.rows.size();
            zone.least = 0;
            zone.most = 0;
            for (int row : zone.rows) {
                int count = hostConstraint == null
                        ? 0
                        : ground.tallies[hostConstraint.counted()].count(domain(hostConstraint, row));
                int least = hostConstraint == null ? 0 : Math.max(0, low - count);
                int most = hostConstraint == null ? pods : Math.max(0, low + hostConstraint.maxSkew() - count);
                zone.least = Math.min(pods + 1, zone.least + least);
                zone.most = Math.min(pods, zone.most + Math.min(room(row), most));
            }
        }
        if (absent.size() <= MANY_ZONES) {
            for (int chosen = 0; chosen < 1 << absent.size(); chosen++) {
                tryZones(low, chosen);
            }
        } else {
            tryZones(low, 0);
            for (int first = 0; first < Math.min(absent.size(), 30); first++) {
                tryZones(low, (1 << first + 1) - 1);
            }
        }
    }

    private void tryZones(int low, int chosen) {
        List<Zone> open = new ArrayList<>(zones);
        for (int z = 0; z < absent.size() && z < 31; z++) {
            if ((chosen >>> z & 1) == 1) {
                open.add(absent.get(z));
            }
        }
        HardConstraint constraint = zoneConstraint;
        if (constraint == null) {
            divide(open, low, 0, pods);
            return;
        }
        int base = 0;
        if (open.size() >= constraint.minDomains()) {
            int to = pods;
            for (Zone zone : zones) {
                to = Math.max(to, zone.count + pods);
            }
            while (base < to) {
                int middle = (int) ((base + (long) to + 1) / 2);
                if (open.stream()
                                .mapToLong(zone -> Math.max(zone.least, middle - zone.count))
                                .sum()
                        <= pods) {
                    base = middle;
                } else {
                    to = middle - 1;
                }
            }
        }
        // Lower bases let zones stay further below the others, as long as all pods find a place.
        for (int i = 0; i <= constraint.maxSkew() && base >= 0 && work > 0; i++) {
            divide(open, low, base--, constraint.maxSkew());
        }
    }

    /** Divides the pods among zones of which each takes a part from base to base + skew. */
    private void divide(List<Zone> open, int low, int base, int skew) {
        int[] from = new int[open.size()];
        int[] to = new int[open.size()];
        int left = pods;
        for (int z = 0; z < from.length; z++) {
            Zone zone = open.get(z);
            from[z] = Math.max(zone.least, base - zone.count);
            to[z] = Math.max(from[z] == 0 ? 0 : -1, base + skew - zone.count);
            left -= from[z];
            if (from[z] > to[z]) {
                return;
            }
        }
        if (left < 0) {
            return;
        }
        // dear[more]: the least price of the zones so far if they take `more` pods beyond what they must take.
        long[] dear = new long[1];
        int[][] part = new int[from.length][];
        for (int z = 0; z < from.length; z++) {
            int most = Math.min(left, dear.length - 1 + to[z] - from[z]);
            long[] next = new long[most + 1];
            Arrays.fill(next, NONE);
            part[z] = new int[most + 1];
            for (int mine = 0; mine <= to[z] - from[z] && mine <= left && work > 0; mine++) {
                work -= dear.length;
                long priceOfZone = price(open.get(z), low, from[z] + mine, null);
                for (int before = 0; before < dear.length && before + mine <= most && priceOfZone < NONE; before++) {
                    if (dear[before] + priceOfZone < next[before + mine]) {
                        next[before + mine] = dear[before] + priceOfZone;
                        part[z][before + mine] = mine;
                    }
                }
            }
            dear = next;
        }
        if (left < dear.length && dear[left] < price) {
            price = dear[left];
            newNodes = new int[newNodes.length];
            for (int z = from.length - 1; z >= 0; z--) {
                price(open.get(z), low, from[z] + part[z][left], newNodes);
                left -= part[z][left];
            }
        }
    }

    /**
     * The price of the new nodes with which a zone takes that many pods, which are added to {@code newNodes} if given.
     */
    private long price(Zone zone, int low, int podsOfZone, int @Nullable [] newNodes) {
        int missing = podsOfZone - zone.most;
        int least = zone.least;
        long sum = 0;
        for (int row : zone.templates) {
            int room = room(row);
            if (missing > 0 && room > 0 && room >= low) {
                int each = hostConstraint == null ? room : Math.min(room, low + hostConstraint.maxSkew());
                int nodes = Math.min(template(row).max, (missing + each - 1) / each);
                missing -= nodes * each;
                least += nodes * low;
                sum += nodes * template(row).price;
                if (newNodes != null) {
                    newNodes[row - ground.existing] += nodes;
                }
            }
        }
        return missing > 0 || least > podsOfZone ? NONE : sum;
    }
}
