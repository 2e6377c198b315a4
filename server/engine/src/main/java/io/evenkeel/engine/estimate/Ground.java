package io.evenkeel.engine.estimate;

import io.evenkeel.engine.lock.StopSignal;
import java.util.Arrays;
import java.util.BitSet;

/**
 * What all trials of a problem share. Existing nodes that can take no pending pod only hold counts; the others, and the
 * templates, are the rows of a table.
 *
 * <pre>
 *   row         0 … existing − 1            existing + t
 *   is          node[row]                   a new node of template t
 *   free        row × resources
 *   domain      [key][row]                  OWN_DOMAIN if each node has its own
 *   enters      [shape][row]                it may enter, finds all its topology keys, and has room if it is alone
 *   eligible    [counted][row]
 * </pre>
 */
final class Ground {
    final Problem problem;
    final StopSignal stop;
    final int pods;
    final int existing;
    final int[] node;
    final long[] free;
    final int[][] domain;
    final boolean[][] enters;
    final boolean[][] eligible;
    final int[][] countedOf;
    final boolean[] perNode;
    final int[] domains;
    final Tally[] tallies;

    /** For each counted, how many of the pending pods it counts. */
    final int[] coming;

    final long[] scale;

    /** @param stop checked often by all work on the problem */
    Ground(Problem problem, StopSignal stop) {
        this.problem = problem;
        this.stop = stop;
        pods = problem.pods();
        int shapes = problem.shapes().size();
        int resources = problem.resources();
        Nodes nodes = problem.nodes();
        int templates = problem.templates().size();
        node = usable(problem);
        existing = node.length;
        int rows = existing + templates;
        Problem.requireRoom((long) rows
                * (resources * Long.BYTES + shapes + problem.counted().size()));
        free = new long[rows * resources];
        domain = new int[problem.keys()][rows];
        scale = new long[resources];
        for (int row = 0; row < rows; row++) {
            NodeTemplate template = row < existing ? null : problem.templates().get(row - existing);
            for (int r = 0; r < resources; r++) {
                long here = template == null ? nodes.free[node[row] * resources + r] : template.free[r];
                free[row * resources + r] = here;
                scale[r] = Math.max(scale[r], here);
            }
            for (int key = 0; key < problem.keys(); key++) {
                domain[key][row] = template == null ? nodes.domains[key][node[row]] : template.domains[key];
            }
        }
        perNode = new boolean[problem.keys()];
        domains = new int[problem.keys()];
        for (int key = 0; key < problem.keys(); key++) {
            countDomains(key);
        }
        enters = new boolean[shapes][rows];
        countedOf = new int[shapes][];
        for (int s = 0; s < shapes; s++) {
            stop.check();
            for (int row = 0; row < rows; row++) {
                enters[s][row] = enters(problem, s, row);
            }
            countedOf[s] = countedOf(s);
        }
        eligible = new boolean[problem.counted().size()][rows];
        tallies = new Tally[problem.counted().size()];
        coming = new int[tallies.length];
        for (int c = 0; c < tallies.length; c++) {
            stop.check();
            CountedPods counted = problem.counted().get(c);
            coming[c] = counted.shapes.stream()
                    .map(shape -> problem.shapes().get(shape).pods)
                    .sum();
            for (int row = 0; row < rows; row++) {
                eligible[c][row] = domain[counted.key][row] != NodeTemplate.NO_DOMAIN
                        && (row < existing
                                ? counted.eligibleNodes.get(node[row])
                                : counted.eligibleTemplates.get(row - existing));
            }
            tallies[c] = tally(counted, c);
        }
    }

    int rows() {
        return existing + problem.templates().size();
    }

    long price(int[] newNodes) {
        long price = 0;
        for (int t = 0; t < newNodes.length; t++) {
            price += newNodes[t] * problem.templates().get(t).price;
        }
        return price;
    }

    boolean fits(int shape, long[] free, int at) {
        long[] requests = problem.shapes().get(shape).requests;
        for (int r = 0; r < requests.length; r++) {
            if (requests[r] > 0 && free[at + r] < requests[r]) {
                return false;
            }
        }
        return true;
    }

    /** How many pods of a shape fit into what is free. */
    int room(int shape, long[] free, int at) {
        long[] requests = problem.shapes().get(shape).requests;
        long room = problem.shapes().get(shape).pods;
        for (int r = 0; r < requests.length; r++) {
            if (requests[r] > 0) {
                room = Math.min(room, Math.max(0, free[at + r]) / requests[r]);
            }
        }
        return (int) room;
    }

    /** Whether pods of other shapes change the counts of this shape's constraints, or its pods those of others. */
    boolean isAlone(int shape) {
        BitSet own = new BitSet();
        problem.shapes().get(shape).constraints.forEach(constraint -> own.set(constraint.counted()));
        for (HardConstraint constraint : problem.shapes().get(shape).constraints) {
            BitSet matching = problem.counted().get(constraint.counted()).shapes;
            if (matching.get(shape) != constraint.selfMatch() || matching.cardinality() > 1) {
                return false;
            }
        }
        return Arrays.stream(countedOf[shape]).allMatch(own::get);
    }

    private static int[] usable(Problem problem) {
        int[] usable = new int[problem.nodes().count];
        int size = 0;
        for (int n = 0; n < problem.nodes().count; n++) {
            for (PodShape shape : problem.shapes()) {
                if (shape.pods > 0 && shape.enterableNodes.get(n) && hasRoom(problem, shape, n)) {
                    usable[size++] = n;
                    break;
                }
            }
        }
        return Arrays.copyOf(usable, size);
    }

    private static boolean hasRoom(Problem problem, PodShape shape, int n) {
        int at = n * problem.resources();
        for (int r = 0; r < shape.requests.length; r++) {
            if (shape.requests[r] > 0 && problem.nodes().free[at + r] < shape.requests[r]) {
                return false;
            }
        }
        return true;
    }

    private boolean enters(Problem problem, int s, int row) {
        PodShape shape = problem.shapes().get(s);
        if (row < existing ? !shape.enterableNodes.get(node[row]) : !shape.enterableTemplates.get(row - existing)) {
            return false;
        }
        for (HardConstraint constraint : shape.constraints) {
            if (domain[problem.counted().get(constraint.counted()).key][row] == NodeTemplate.NO_DOMAIN) {
                return false;
            }
        }
        return fits(s, free, row * problem.resources());
    }

    private int[] countedOf(int shape) {
        int[] counted = new int[problem.counted().size()];
        int size = 0;
        for (int c = 0; c < counted.length; c++) {
            if (problem.counted().get(c).shapes.get(shape)) {
                counted[size++] = c;
            }
        }
        return Arrays.copyOf(counted, size);
    }

    private void countDomains(int key) {
        int[] of = problem.nodes().domains[key];
        BitSet seen = new BitSet();
        boolean unique = true;
        int end = 0;
        for (int d : of) {
            if (d >= 0) {
                unique &= !seen.get(d);
                seen.set(d);
                end = Math.max(end, d + 1);
            }
        }
        for (NodeTemplate template : problem.templates()) {
            unique &= template.domains[key] < 0;
            end = Math.max(end, template.domains[key] + 1);
        }
        for (CountedPods counted : problem.counted()) {
            end = counted.key == key ? Math.max(end, counted.counts.length) : end;
        }
        perNode[key] = unique;
        domains[key] = end;
    }

    private Tally tally(CountedPods counted, int c) {
        int size = domains[counted.key];
        boolean[] has = new boolean[size];
        int[] of = problem.nodes().domains[counted.key];
        for (int n = counted.eligibleNodes.nextSetBit(0);
                n >= 0 && n < of.length;
                n = counted.eligibleNodes.nextSetBit(n + 1)) {
            if (of[n] >= 0) {
                has[of[n]] = true;
            }
        }
        if (problem.templateDomainsCount()) {
            for (int t = 0; t < problem.templates().size(); t++) {
                int d = domain[counted.key][existing + t];
                if (d >= 0 && eligible[c][existing + t] && problem.templates().get(t).max > 0) {
                    has[d] = true;
                }
            }
        }
        return new Tally(Arrays.copyOf(counted.counts, size), has, coming[c]);
    }
}
