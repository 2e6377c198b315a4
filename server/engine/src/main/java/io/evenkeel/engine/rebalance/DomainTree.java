package io.evenkeel.engine.rebalance;

import java.util.Arrays;

/**
 * The nodes and domains over which equal pods are distributed, when domains are nested: each domain of a finer level is
 * within one domain of a coarser level, or within none. It answers, for limits of the count of each level's domains,
 * how many pods can stay on their nodes.
 *
 * <p>How many of {@code t} pods in a part of the tree can stay is a function of {@code t} that first rises by one with
 * each pod and then stays the same. Three numbers describe it: the fewest and the most pods that the part can have, and
 * for how many of those above the fewest it rises. Sums of such functions, and their restriction to a range of
 * {@code t}, have the same form, so the answer is exact and needs one pass over the tree.
 *
 * <pre>
 *   number    0      1 … domains      domains + 1 …
 *   is        root   a domain         a node
 *             parents come before their children; times says how many equal domains one represents
 * </pre>
 *
 * Not thread-safe.
 */
final class DomainTree {
    static final int IMPOSSIBLE = -1;

    private static final int ROOT = 0;

    /** How many pods there are. */
    final int pods;

    private final int domains;
    private final int[] parents;
    private final int[] times;

    /** The level of each domain. */
    private final int[] levels;

    /** How many other pods count in each domain. */
    private final int[] others;

    /** For the nodes, and the sums of the nodes of a domain that are in no finer one. */
    private final int[] fewest;

    private final int[] most;
    private final int[] rises;
    private final int[] stays;

    /** The same for whole parts of the tree, within the limits. */
    private final int[] partFewest;

    private final int[] partMost;
    private final int[] partRises;
    private final int[] partStays;

    /** The arrays are shared with other trees that have the same parts. */
    private DomainTree(
            int pods, int domains, int[] parents, int[] times, int[] levels, int[] others, int[] fewest, int[] stays) {
        this.pods = pods;
        this.domains = domains;
        this.parents = parents;
        this.times = times;
        this.levels = levels;
        this.others = others;
        this.fewest = fewest;
        this.stays = stays;
        most = new int[parents.length];
        rises = new int[parents.length];
        partFewest = new int[domains + 1];
        partMost = new int[domains + 1];
        partRises = new int[domains + 1];
        partStays = new int[domains + 1];
    }

    /** A tree of {@code size} parts that are not described yet. */
    private static DomainTree blank(int pods, int domains, int size) {
        int[] times = new int[size];
        Arrays.fill(times, 1);
        return new DomainTree(
                pods, domains, new int[size], times, new int[domains + 1], new int[size], new int[size], new int[size]);
    }

    /**
     * Makes a tree.
     *
     * @param immovable by node, how many of its pods must stay
     * @param now by node, how many of the pods it has
     * @param most by node, how many of the pods it can have; at least the immovable ones
     * @param domainOf by level, the coarsest first, and by node: its domain, or -1
     * @param others by level and domain, how many other pods count there
     * @throws IllegalArgumentException if domains are not nested
     */
    static DomainTree of(int[] immovable, int[] now, int[] most, int[][] domainOf, int[][] others) {
        int domains = 0;
        int[] firsts = new int[others.length];
        for (int level = 0; level < others.length; level++) {
            firsts[level] = domains + 1;
            domains += others[level].length;
        }
        DomainTree tree = blank(Arrays.stream(now).sum(), domains, domains + 1 + now.length);
        boolean[] known = new boolean[domains + 1];
        for (int level = 0; level < others.length; level++) {
            Arrays.fill(tree.levels, firsts[level], firsts[level] + others[level].length, level);
            System.arraycopy(others[level], 0, tree.others, firsts[level], others[level].length);
        }
        for (int node = 0; node < now.length; node++) {
            int parent = ROOT;
            for (int level = 0; level < others.length; level++) {
                if (domainOf[level][node] >= 0) {
                    int domain = firsts[level] + domainOf[level][node];
                    if (known[domain] && tree.parents[domain] != parent) {
                        throw new IllegalArgumentException("domains are not nested");
                    }
                    known[domain] = true;
                    tree.parents[domain] = parent;
                    parent = domain;
                }
            }
            int number = domains + 1 + node;
            tree.parents[number] = parent;
            tree.fewest[number] = immovable[node];
            tree.fewest[parent] += immovable[node];
            tree.stays[number] = immovable[node];
            tree.stays[parent] += immovable[node];
            tree.limitNode(number, now[node], most[node]);
        }
        return tree;
    }

    /** This tree if its nodes can have other numbers of pods. The parameters are those of {@link #of}. */
    DomainTree within(int[] now, int[] most) {
        DomainTree tree = new DomainTree(pods, domains, parents, times, levels, others, fewest, stays);
        for (int node = 0; node < now.length; node++) {
            tree.limitNode(domains + 1 + node, now[node], most[node]);
        }
        return tree;
    }

    private void limitNode(int number, int now, int limit) {
        int parent = parents[number];
        most[number] = Math.min(limit, pods);
        most[parent] = Math.min(pods, most[parent] + most[number]);
        rises[number] = Math.min(now, most[number]) - fewest[number];
        rises[parent] += rises[number];
    }

    /** A tree with the same answers, in which equal domains without finer ones are one. It has no nodes. */
    DomainTree merged() {
        boolean[] hasFiner = new boolean[domains + 1];
        for (int domain = 1; domain <= domains; domain++) {
            hasFiner[parents[domain]] = true;
        }
        int[] numbers = new int[domains + 1];
        int[] kept = new int[domains + 1];
        int[] counts = new int[domains + 1];
        int[] table = new int[2 * Integer.highestOneBit(domains + 1) << 1];
        int size = 0;
        for (int domain = 1; domain <= domains; domain++) {
            int number = hasFiner[domain] ? ROOT : findEqual(domain, kept, table, size + 1);
            if (number == ROOT) {
                number = ++size;
                kept[number] = domain;
            }
            numbers[domain] = number;
            counts[number]++;
        }
        DomainTree merged = blank(pods, size, size + 1);
        merged.copy(ROOT, this, ROOT);
        for (int number = 1; number <= size; number++) {
            int domain = kept[number];
            merged.copy(number, this, domain);
            merged.parents[number] = numbers[parents[domain]];
            merged.levels[number] = levels[domain];
            merged.times[number] = counts[number];
        }
        return merged;
    }

    /**
     * The number of a domain that is equal to one without finer ones; ROOT if there is none yet.
     *
     * @param kept number → domain
     * @param table a hash table of numbers, which is open addressed and has a power of two entries
     * @param next the number to add for this domain if there is none
     */
    private int findEqual(int domain, int[] kept, int[] table, int next) {
        int hash = 31 * (31 * (31 * parents[domain] + others[domain]) + most[domain]) + rises[domain];
        int at = (hash * 0x9E3779B9 >>> 16 ^ fewest[domain]) & table.length - 1;
        while (table[at] != ROOT) {
            if (areEqual(kept[table[at]], domain)) {
                return table[at];
            }
            at = at + 1 & table.length - 1;
        }
        table[at] = next;
        return ROOT;
    }

    private boolean areEqual(int domain, int other) {
        return parents[domain] == parents[other]
                && levels[domain] == levels[other]
                && others[domain] == others[other]
                && fewest[domain] == fewest[other]
                && most[domain] == most[other]
                && rises[domain] == rises[other]
                && stays[domain] == stays[other];
    }

    private void copy(int number, DomainTree from, int domain) {
        others[number] = from.others[domain];
        fewest[number] = from.fewest[domain];
        most[number] = from.most[domain];
        rises[number] = from.rises[domain];
        stays[number] = from.stays[domain];
    }

    /**
     * How many pods can stay on their nodes if the count of each domain is within the limits of its level; IMPOSSIBLE
     * if they cannot be met.
     */
    int staying(int[] lowest, int[] highest) {
        System.arraycopy(fewest, 0, partFewest, 0, domains + 1);
        System.arraycopy(most, 0, partMost, 0, domains + 1);
        System.arraycopy(rises, 0, partRises, 0, domains + 1);
        System.arraycopy(stays, 0, partStays, 0, domains + 1);
        for (int domain = domains; domain > ROOT; domain--) {
            if (!limit(domain, lowest[levels[domain]], highest[levels[domain]])) {
                return IMPOSSIBLE;
            }
            int parent = parents[domain];
            partFewest[parent] = sum(partFewest[parent], times[domain], partFewest[domain]);
            partMost[parent] = sum(partMost[parent], times[domain], partMost[domain]);
            partRises[parent] += times[domain] * partRises[domain];
            partStays[parent] += times[domain] * partStays[domain];
        }
        if (partFewest[ROOT] > pods || partMost[ROOT] < pods) {
            return IMPOSSIBLE;
        }
        return partStays[ROOT] + Math.min(partRises[ROOT], pods - partFewest[ROOT]);
    }

    /** A sum that does not overflow. */
    private static int sum(int first, int times, int second) {
        return (int) Math.min(Integer.MAX_VALUE, first + (long) times * second);
    }

    /** Restricts a part to counts within limits; returns false if it can have none of them. */
    private boolean limit(int domain, int lowest, int highest) {
        int raised = Math.max(partFewest[domain], lowest - others[domain]);
        int lowered = Math.min(partMost[domain], highest - others[domain]);
        if (raised > lowered) {
            return false;
        }
        int risen = Math.min(raised - partFewest[domain], partRises[domain]);
        partStays[domain] += risen;
        partFewest[domain] = raised;
        partMost[domain] = lowered;
        partRises[domain] = Math.min(partRises[domain] - risen, lowered - raised);
        return true;
    }

    /**
     * By node, how many pods it gets if as many as possible stay.
     *
     * @param lowest limits that can be met, and with {@code highest} the same as of a call of {@link #staying}
     */
    int[] targets(int[] lowest, int[] highest) {
        if (staying(lowest, highest) == IMPOSSIBLE) {
            throw new IllegalArgumentException("the limits cannot be met");
        }
        int size = parents.length;
        int[] firstChild = new int[domains + 1];
        int[] nextSibling = new int[size];
        int[] given = new int[size];
        int[] rest = new int[domains + 1];
        long[] space = new long[size];
        for (int number = size - 1; number > ROOT; number--) {
            space[number] += number <= domains ? 0 : most[number];
            space[parents[number]] += space[number];
            nextSibling[number] = firstChild[parents[number]];
            firstChild[parents[number]] = number;
            given[number] = number <= domains ? partFewest[number] : fewest[number];
            rest[parents[number]] -= given[number];
        }
        given[ROOT] = pods;
        for (int parent = 0; parent <= domains; parent++) {
            rest[parent] += given[parent];
            int left = give(rest[parent], firstChild[parent], nextSibling, space, given, true);
            if (give(left, firstChild[parent], nextSibling, space, given, false) != 0) {
                throw new IllegalStateException("a domain has more pods than room");
            }
        }
        return Arrays.copyOfRange(given, domains + 1, size);
    }

    /**
     * Gives pods to the children of a domain; returns how many are left.
     *
     * @param first the first child
     * @param space how many pods nodes, and all nodes of domains, can have, whatever the limits are
     * @param staying whether each child gets only as many as can stay in it
     */
    private int give(int pods, int first, int[] nextSibling, long[] space, int[] given, boolean staying) {
        if (pods == 0) {
            return 0;
        }
        EvenShares children = new EvenShares();
        for (int number = first; number != ROOT; number = nextSibling[number]) {
            int room = staying ? riseOf(number) : mostOf(number) - given[number];
            if (room > 0) {
                children.add(number, others[number] + given[number], room, space[number] - given[number]);
            }
        }
        return children.give(pods, given);
    }

    private int mostOf(int number) {
        return number <= domains ? partMost[number] : most[number];
    }

    private int riseOf(int number) {
        return number <= domains ? partRises[number] : rises[number];
    }

    /** What the counts of a level's domains can be, without limits. */
    record Range(int domains, long leastSum, long mostSum, int leastMaximum, int mostMinimum) {}

    /** The range of a level. */
    Range range(int level) {
        int[] low = Arrays.copyOf(fewest, domains + 1);
        int[] high = Arrays.copyOf(most, domains + 1);
        for (int domain = domains; domain > ROOT; domain--) {
            int parent = parents[domain];
            low[parent] = sum(low[parent], times[domain], low[domain]);
            high[parent] = Math.min(pods, sum(high[parent], times[domain], high[domain]));
        }
        boolean[] inside = new boolean[domains + 1];
        int count = 0;
        long sum = 0;
        long fewestInside = 0;
        long mostInside = 0;
        long mostOutside = most[ROOT];
        int leastMaximum = 0;
        int mostMinimum = Integer.MAX_VALUE;
        for (int domain = 1; domain <= domains; domain++) {
            inside[domain] = inside[parents[domain]] || levels[domain] == level;
            if (levels[domain] == level) {
                count += times[domain];
                sum += (long) times[domain] * others[domain];
                fewestInside += (long) times[domain] * low[domain];
                mostInside += (long) times[domain] * high[domain];
                leastMaximum = Math.max(leastMaximum, others[domain] + low[domain]);
                mostMinimum = Math.min(mostMinimum, others[domain] + high[domain]);
            } else if (!inside[domain]) {
                mostOutside += (long) times[domain] * most[domain];
            }
        }
        long least = sum + Math.max(fewestInside, pods - mostOutside);
        return new Range(count, least, sum + Math.min(pods, mostInside), leastMaximum, mostMinimum);
    }
}
