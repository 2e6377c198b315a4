package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.lock.StopSignal;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Improves a plan in which pods of several groups compete for nodes or count for the same constraints, or in which
 * domains are not nested, by simulated annealing: pods are moved and exchanged at random, and changes for the worse are
 * accepted ever more rarely. The random numbers are the same each time.
 *
 * <pre>
 *   planned, now, stays, enters    by group and node
 *   free                           by resource and node; a shortage costs
 *   domains                        by constraint and node; -1 if the node is not eligible
 *   counts                         by constraint and domain
 *   sizes                          by constraint and count: how many domains have that count
 * </pre>
 *
 * Used once.
 */
final class AnnealingSearch {
    private static final int RUNS = 8;
    private static final int TRIALS = 150_000;
    private static final int TRIALS_A_CHECK = 1 << 10;
    private static final double HOTTEST = 2;
    private static final double COLDEST = 0.1;

    /** How much the other costs weigh, compared with moves, at the begin and at the end of a run. */
    private static final double LIGHTEST = 0.3;

    private static final double HEAVIEST = 10;

    /** What an excess of one costs. */
    private static final double EXCESS_COST = 2;

    /** What a pod that is too many in its domain costs. */
    private static final double SURPLUS_COST = 0.5;

    /** What it costs if a node lacks as much of a resource as the smallest pod asks for. */
    private static final double LACK_COST = 2;

    /** A group, in numbers. {@code filters} are the hard constraints of its pods that count only others. */
    static final class Pods {
        final int[] now;
        final int[] planned;
        final int[] stays;
        final boolean[] enters;
        final long[] requests;
        final int[] spreads;
        final int[] filters;

        Pods(int[] now, int[] planned, int[] stays, boolean[] enters, long[] requests, int[] spreads, int[] filters) {
            this.now = now;
            this.planned = planned;
            this.stays = stays;
            this.enters = enters;
            this.requests = requests;
            this.spreads = spreads;
            this.filters = filters;
        }
    }

    /** A constraint, in numbers. */
    static final class Counts {
        final int[] domains;
        final int[] counts;
        final int maxSkew;
        final boolean minimumIsZero;

        Counts(int[] domains, int[] counts, int maxSkew, boolean minimumIsZero) {
            this.domains = domains;
            this.counts = counts;
            this.maxSkew = maxSkew;
            this.minimumIsZero = minimumIsZero;
        }
    }

    private final List<Pods> groups;
    private final long[][] free;

    /** By resource, the least that a pod asks for. */
    private final double[] units;

    private final Spread[] spreads;
    private final int[][] planned;
    private final SplittableRandom random = new SplittableRandom(1);
    private final StopSignal stop;
    private int moves;

    /** How much nodes lack, in units. */
    private double lack;

    /** The cost of the constraints. */
    private double spreadCost;

    /** How much these two weigh, compared with moves. */
    private double weight;

    private int[][] best;
    private int bestExcess;
    private int bestMoves;

    /**
     * @param groups the groups whose pods move
     * @param free by resource and node, how much is free in the plan; 0 if it is overfull, so that no pod may enter
     */
    AnnealingSearch(List<Pods> groups, long[][] free, List<Counts> spreads, StopSignal stop) {
        this.groups = groups;
        int[] coming = new int[spreads.size()];
        for (Pods group : groups) {
            int pods = Arrays.stream(group.planned).sum();
            for (int number : group.spreads) {
                coming[number] += pods;
            }
        }
        this.free = free;
        this.spreads = IntStream.range(0, coming.length)
                .mapToObj(number -> new Spread(spreads.get(number), coming[number]))
                .toArray(Spread[]::new);
        this.stop = stop;
        planned = groups.stream().map(group -> group.planned.clone()).toArray(int[][]::new);
        units = new double[free.length];
        for (int resource = 0; resource < units.length; resource++) {
            int its = resource;
            units[resource] = groups.stream()
                    .mapToLong(group -> group.requests[its])
                    .filter(amount -> amount > 0)
                    .min()
                    .orElse(1);
        }
        moves = moves();
        spreadCost = Arrays.stream(this.spreads).mapToDouble(Spread::cost).sum();
        best = copy(planned);
        bestExcess = excess();
        bestMoves = moves;
    }

    /** The counts of a constraint. */
    private static final class Spread {
        final Counts of;
        final int[] counts;
        final int[] sizes;
        int least = Integer.MAX_VALUE;
        int most;

        /** @param pods how many pods can come into the domains */
        Spread(Counts of, int pods) {
            this.of = of;
            counts = of.counts.clone();
            sizes = new int[Arrays.stream(counts).max().orElse(0) + pods + 1];
            for (int count : counts) {
                sizes[count]++;
                least = Math.min(least, count);
                most = Math.max(most, count);
            }
        }

        void shift(int node, int by) {
            int domain = of.domains[node];
            if (domain >= 0) {
                int before = counts[domain];
                int after = before + by;
                counts[domain] = after;
                sizes[before]--;
                sizes[after]++;
                least = after < least ? after : before == least && sizes[before] == 0 ? after : least;
                most = after > most ? after : before == most && sizes[before] == 0 ? after : most;
            }
        }

        int highest() {
            return (int) Math.min(Integer.MAX_VALUE - 1L, (long) (of.minimumIsZero ? 0 : least) + of.maxSkew);
        }

        int excess() {
            return Math.max(0, most - highest());
        }

        /** Whether the domain of a node has too many pods for one that does not count. */
        boolean isClosed(int node) {
            int domain = of.domains[node];
            return domain >= 0 && counts[domain] > highest();
        }

        double cost() {
            int surplus = 0;
            int highest = highest();
            if (counts.length < most - highest) {
                for (int count : counts) {
                    surplus += Math.max(0, count - highest);
                }
            } else {
                for (int count = highest + 1; count <= most; count++) {
                    surplus += sizes[count] * (count - highest);
                }
            }
            return EXCESS_COST * excess() + SURPLUS_COST * surplus;
        }
    }

    /**
     * By group and node, how many pods the best plan has there.
     *
     * @param bound what no plan can be better than; a plan that reaches it ends the search
     */
    int[][] search(Bound bound) {
        for (int run = 0; run < RUNS && !isReached(bound); run++) {
            for (int trial = 0; trial < TRIALS && !isReached(bound); trial++) {
                if (trial % TRIALS_A_CHECK == 0) {
                    stop.check();
                }
                double progress = (double) trial / TRIALS;
                weight = LIGHTEST * Math.pow(HEAVIEST / LIGHTEST, progress);
                attempt(HOTTEST * Math.pow(COLDEST / HOTTEST, progress));
            }
            restore();
        }
        return best;
    }

    private boolean isReached(Bound bound) {
        return bestExcess <= bound.excess() && bestMoves <= bound.moves();
    }

    private void attempt(double temperature) {
        int group = random.nextInt(groups.size());
        int nodes = planned[group].length;
        int from = random.nextInt(nodes);
        int to = random.nextInt(nodes);
        if (from == to || !mayLeave(group, from) || !mayEnter(group, to)) {
            return;
        }
        int other = random.nextInt(groups.size());
        boolean exchanges = random.nextBoolean() && other != group && mayLeave(other, to) && mayEnter(other, from);
        double before = cost();
        move(group, from, to);
        if (exchanges) {
            move(other, to, from);
        }
        double more = cost() - before;
        if (more > 0 && random.nextDouble() >= Math.exp(-more / temperature)) {
            if (exchanges) {
                move(other, from, to);
            }
            move(group, to, from);
        } else if (more < 0) {
            keepIfBest();
        }
    }

    /** Pods may return to their own node although no other pod may enter it. */
    private boolean mayEnter(int group, int node) {
        Pods pods = groups.get(group);
        return pods.enters[node] || planned[group][node] < pods.now[node];
    }

    private boolean mayLeave(int group, int node) {
        return planned[group][node] > groups.get(group).stays[node];
    }

    private void move(int group, int from, int to) {
        Pods pods = groups.get(group);
        moves += planned[group][from]-- <= pods.now[from] ? 1 : 0;
        moves -= planned[group][to]++ < pods.now[to] ? 1 : 0;
        for (int resource = 0; resource < free.length; resource++) {
            take(resource, from, -pods.requests[resource]);
            take(resource, to, pods.requests[resource]);
        }
        for (int number : pods.spreads) {
            Spread spread = spreads[number];
            spreadCost -= spread.cost();
            spread.shift(from, -1);
            spread.shift(to, 1);
            spreadCost += spread.cost();
        }
    }

    private void take(int resource, int node, long amount) {
        if (amount != 0) {
            long before = free[resource][node];
            free[resource][node] = before - amount;
            lack += (Math.max(0, amount - before) - Math.max(0, -before)) / units[resource];
        }
    }

    private double cost() {
        return moves + weight * (spreadCost + LACK_COST * lack);
    }

    private boolean isLacking() {
        for (long[] amounts : free) {
            for (long amount : amounts) {
                if (amount < 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a pod would enter a domain that a constraint closes to it although it does not count it. */
    private boolean isFiltered() {
        for (int group = 0; group < planned.length; group++) {
            Pods pods = groups.get(group);
            for (int number : pods.filters) {
                for (int node = 0; node < planned[group].length; node++) {
                    if (planned[group][node] > pods.now[node] && spreads[number].isClosed(node)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private int excess() {
        return Arrays.stream(spreads).mapToInt(Spread::excess).sum();
    }

    private int moves() {
        int sum = 0;
        for (int group = 0; group < planned.length; group++) {
            int[] now = groups.get(group).now;
            for (int node = 0; node < now.length; node++) {
                sum += Math.max(0, now[node] - planned[group][node]);
            }
        }
        return sum;
    }

    private void keepIfBest() {
        int excess = excess();
        if ((excess < bestExcess || excess == bestExcess && moves < bestMoves) && !isLacking() && !isFiltered()) {
            bestExcess = excess;
            bestMoves = moves;
            best = copy(planned);
        }
    }

    /** Continues from the best plan. */
    private void restore() {
        for (int group = 0; group < planned.length; group++) {
            for (int from = 0; from < planned[group].length; from++) {
                while (planned[group][from] > best[group][from]) {
                    int to = 0;
                    while (planned[group][to] >= best[group][to]) {
                        to++;
                    }
                    move(group, from, to);
                }
            }
        }
    }

    private static int[][] copy(int[][] of) {
        return Arrays.stream(of).map(int[]::clone).toArray(int[][]::new);
    }
}
