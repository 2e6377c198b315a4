package io.evenkeel.engine.rebalance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.lock.StopSignal;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the best distribution of equal pods with that of an exhaustive search. */
final class DomainTreeTest {
    private static final int[] HOSTS = {0, 1, 2, 3, 4, 5};

    /** A small question: nodes in zones, and each node is a domain as well. */
    private static final class World {
        final int[] immovable;
        final int[] now;
        final int[] most;
        final int[][] domainOf;
        final int[][] others;
        final List<WindowSearch.Limit> limits;
        final int pods;

        World(Random random) {
            int nodes = 2 + random.nextInt(4);
            now = random.ints(nodes, 0, 4).toArray();
            immovable = Arrays.stream(now)
                    .map(count -> random.nextInt(4) == 0 ? count : 0)
                    .toArray();
            most = Arrays.stream(now).map(count -> count + random.nextInt(3)).toArray();
            pods = Arrays.stream(now).sum();
            int zones = 1 + random.nextInt(3);
            int[] zoneOf =
                    random.ints(nodes, random.nextInt(5) == 0 ? -1 : 0, zones).toArray();
            domainOf = new int[][] {zoneOf, Arrays.copyOf(HOSTS, nodes)};
            // One more zone, whose nodes the pods may not enter.
            others = new int[][] {
                random.ints(zones + random.nextInt(2), 0, 3).toArray(),
                random.ints(nodes, 0, 2).toArray()
            };
            limits = List.of(
                    new WindowSearch.Limit(1 + random.nextInt(2), random.nextInt(5) == 0),
                    new WindowSearch.Limit(1 + random.nextInt(2), random.nextInt(5) == 0));
        }

        /** By how much the constraints are exceeded. */
        int excess(int[] counts) {
            int excess = 0;
            for (int level = 0; level < domainOf.length; level++) {
                int[] sums = others[level].clone();
                for (int node = 0; node < counts.length; node++) {
                    if (domainOf[level][node] >= 0) {
                        sums[domainOf[level][node]] += counts[node];
                    }
                }
                int least = limits.get(level).minimumIsZero()
                        ? 0
                        : Arrays.stream(sums).min().orElse(0);
                int highest = Arrays.stream(sums).max().orElse(0);
                excess += Math.max(0, highest - least - limits.get(level).maxSkew());
            }
            return excess;
        }

        int moves(int[] counts) {
            return IntStream.range(0, counts.length)
                    .map(node -> Math.max(0, now[node] - counts[node]))
                    .sum();
        }

        /** The least excess and, with it, the fewest moves. */
        List<Integer> best() {
            int[] best = {Integer.MAX_VALUE, 0};
            place(new int[now.length], 0, pods, best);
            return List.of(best[0], best[1]);
        }

        private void place(int[] counts, int node, int left, int[] best) {
            if (node == counts.length) {
                int excess = excess(counts);
                if (left == 0 && (excess < best[0] || excess == best[0] && moves(counts) < best[1])) {
                    best[0] = excess;
                    best[1] = moves(counts);
                }
                return;
            }
            for (int count = immovable[node]; count <= Math.min(left, most[node]); count++) {
                counts[node] = count;
                place(counts, node + 1, left - count, best);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void distribution_isThatOfAnExhaustiveSearch(int seed) {
        for (int i = 0; i < 1_000; i++) {
            World world = new World(new Random(1_000L * seed + i));
            DomainTree tree = tree(world, world.most);
            WindowSearch.Found found =
                    WindowSearch.search(tree, world.limits, world.excess(world.now), StopSignal.NEVER);
            assertTrue(found != null && found.exact);
            String which = "seed " + seed + ", " + i;
            assertEquals(world.best(), List.of(found.excess, found.moves), which);
            int[] targets = tree.targets(found.lowest, found.highest);
            assertEquals(world.pods, Arrays.stream(targets).sum(), which);
            assertEquals(found.excess, world.excess(targets), which);
            assertEquals(found.moves, world.moves(targets), which);
            for (int node = 0; node < targets.length; node++) {
                assertTrue(targets[node] >= world.immovable[node] && targets[node] <= world.most[node], which);
            }
        }
    }

    /** The windows that are best if nodes have room are used again if they do not have it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void windows_areThoseOfASearch_ifTheyAreFoundInANarrowerTree(int seed) {
        int found = 0;
        for (int i = 0; i < 1_000; i++) {
            World world = new World(new Random(1_000L * seed + i));
            int[] roomy = Arrays.stream(world.most).map(most -> most + 3).toArray();
            DomainTree wider = tree(world, roomy);
            WindowSearch.Found wide = search(world, wider);
            DomainTree narrower = wider.within(world.now, world.most);
            if (wide.isFoundIn(narrower)) {
                DomainTree built = tree(world, world.most);
                WindowSearch.Found searched = search(world, built);
                String which = "seed " + seed + ", " + i;
                assertArrayEquals(
                        built.targets(searched.lowest, searched.highest),
                        narrower.targets(wide.lowest, wide.highest),
                        which);
                assertEquals(List.of(searched.excess, searched.moves), List.of(wide.excess, wide.moves), which);
                assertArrayEquals(searched.lowest, wide.lowest, which);
                assertArrayEquals(searched.highest, wide.highest, which);
                found++;
            }
        }
        assertTrue(found > 100 && found < 1_000);
    }

    private static DomainTree tree(World world, int[] most) {
        return DomainTree.of(world.immovable, world.now, most, world.domainOf, world.others);
    }

    private static WindowSearch.Found search(World world, DomainTree tree) {
        return Objects.requireNonNull(
                WindowSearch.search(tree, world.limits, world.excess(world.now), StopSignal.NEVER));
    }

    /** As many pods stay as can; in both steps, each pod goes to the emptiest node, the one with the most space. */
    @Test
    void targets_areThoseOfOnePodAfterTheOther() {
        int moved = 0;
        for (int i = 0; i < 2_000; i++) {
            World world = new World(new Random(i));
            int[] others = world.others[1];
            int limit = 1 + i % 4;
            DomainTree tree = DomainTree.of(
                    world.immovable, world.now, world.most, new int[][] {world.domainOf[1]}, new int[][] {others});
            if (tree.staying(new int[1], new int[] {limit}) != DomainTree.IMPOSSIBLE) {
                int[] counts = world.immovable.clone();
                int[] most = IntStream.range(0, counts.length)
                        .map(node -> Math.min(world.most[node], limit - others[node]))
                        .toArray();
                int[] staying = IntStream.range(0, counts.length)
                        .map(node -> Math.min(world.now[node], most[node]))
                        .toArray();
                fill(world, counts, staying);
                fill(world, counts, most);
                assertArrayEquals(counts, tree.targets(new int[1], new int[] {limit}), "seed " + i);
                moved += Arrays.equals(counts, world.now) ? 0 : 1;
            }
        }
        assertTrue(moved > 100, "only " + moved + " questions with moves");
    }

    private static void fill(World world, int[] counts, int[] limits) {
        for (int left = world.pods - Arrays.stream(counts).sum(); left > 0; left--) {
            int chosen = -1;
            for (int node = 0; node < counts.length; node++) {
                if (counts[node] < limits[node] && (chosen < 0 || isBetter(world, counts, node, chosen))) {
                    chosen = node;
                }
            }
            if (chosen < 0) {
                return;
            }
            counts[chosen]++;
        }
    }

    private static boolean isBetter(World world, int[] counts, int node, int other) {
        int count = world.others[1][node] + counts[node];
        int than = world.others[1][other] + counts[other];
        return count < than || count == than && world.most[node] - counts[node] > world.most[other] - counts[other];
    }

    @Test
    void domainsThatCross_areRejected() {
        int[][] crossing = {{0, 0, 1}, {0, 1, 1}};
        assertThrows(
                IllegalArgumentException.class,
                () -> DomainTree.of(new int[3], new int[3], new int[3], crossing, new int[2][2]));
    }
}
