package io.evenkeel.engine.estimate;

import java.util.Arrays;

/**
 * The cluster with some new nodes, while pods are placed in it one by one. All new nodes exist from the start.
 *
 * <p>Nodes are numbered like the rows of {@link Ground}, then the new nodes, template by template.
 */
final class Trial {
    final Ground ground;
    final int[] newNodes;
    final int[] row;
    final long[] free;
    final int[] left;
    final Tally[] tallies;
    private int[] stepShape;
    private int[] stepNode;
    private int steps;

    Trial(Ground ground, int[] newNodes) {
        this.ground = ground;
        this.newNodes = newNodes;
        Problem problem = ground.problem;
        int resources = problem.resources();
        ground.stop.check();
        row = new int[ground.existing + Arrays.stream(newNodes).sum()];
        Problem.requireRoom(bytes());
        int end = 0;
        while (end < ground.existing) {
            row[end] = end++;
        }
        for (int t = 0; t < newNodes.length; t++) {
            Arrays.fill(row, end, end + newNodes[t], ground.existing + t);
            end += newNodes[t];
        }
        free = Arrays.copyOf(ground.free, row.length * resources);
        for (int n = ground.existing; n < row.length; n++) {
            System.arraycopy(ground.free, row[n] * resources, free, n * resources, resources);
        }
        left = new int[problem.shapes().size()];
        for (int s = 0; s < left.length; s++) {
            left[s] = problem.shapes().get(s).pods;
        }
        tallies = new Tally[ground.tallies.length];
        for (int c = 0; c < tallies.length; c++) {
            tallies[c] = tally(c);
        }
        stepShape = new int[16];
        stepNode = new int[16];
    }

    private Tally tally(int c) {
        int key = ground.problem.counted().get(c).key;
        boolean[] own = new boolean[row.length - ground.existing];
        Tally tally = ground.tallies[c];
        for (int n = ground.existing; n < row.length; n++) {
            boolean eligible = ground.eligible[c][row[n]];
            int domain = ground.domain[key][row[n]];
            own[n - ground.existing] = eligible && domain == NodeTemplate.OWN_DOMAIN;
            if (eligible && domain >= 0 && !tally.isEligible(domain)) {
                tally = tally.withEligible(domain, ground.coming[c]);
            }
        }
        return tally.withDomains(own, ground.coming[c]);
    }

    /** Roughly what it takes. */
    long bytes() {
        long bytes = (long) row.length * (ground.problem.resources() * Long.BYTES + Integer.BYTES);
        for (int c = 0; c < ground.tallies.length; c++) {
            bytes += (long) Integer.BYTES * (ground.coming[c] + row.length + ground.tallies[c].size());
        }
        return bytes + 2L * Integer.BYTES * ground.pods;
    }

    int nodes() {
        return row.length;
    }

    boolean hasNewNodes() {
        return row.length > ground.existing;
    }

    /** The domain of a node, which new nodes of {@link NodeTemplate#OWN_DOMAIN} have after all others. */
    int domain(int key, int node) {
        int domain = ground.domain[key][row[node]];
        return domain == NodeTemplate.OWN_DOMAIN ? ground.domains[key] + node - ground.existing : domain;
    }

    boolean enters(int shape, int node) {
        return ground.enters[shape][row[node]];
    }

    boolean fits(int shape, int node) {
        return ground.fits(shape, free, node * ground.problem.resources());
    }

    int room(int shape, int node) {
        return enters(shape, node) ? ground.room(shape, free, node * ground.problem.resources()) : 0;
    }

    /** Whether one constraint admits a pod to a node. */
    boolean admits(HardConstraint constraint, int node) {
        return admitsTo(constraint, domain(ground.problem.counted().get(constraint.counted()).key, node));
    }

    /** Whether one constraint admits a pod to the nodes of a domain. */
    boolean admitsTo(HardConstraint constraint, int domain) {
        Tally tally = tallies[constraint.counted()];
        return tally.count(domain) + constraint.self() - tally.minimum(constraint.minDomains()) <= constraint.maxSkew();
    }

    boolean admits(int shape, int node) {
        for (HardConstraint constraint : ground.problem.shapes().get(shape).constraints) {
            if (!admits(constraint, node)) {
                return false;
            }
        }
        return true;
    }

    /** The last step whose pod exceeds a maxSkew as counts are now; -1 if there is none. */
    int lastExceeding() {
        for (int step = steps - 1; step >= 0; step--) {
            for (HardConstraint constraint : ground.problem.shapes().get(stepShape[step]).constraints) {
                Tally tally = tallies[constraint.counted()];
                int domain = domain(ground.problem.counted().get(constraint.counted()).key, stepNode[step]);
                if (tally.count(domain) - tally.minimum(constraint.minDomains()) > constraint.maxSkew()) {
                    return step;
                }
            }
        }
        return -1;
    }

    /** Places a pod, whether or not its constraints admit it. */
    void place(int shape, int node) {
        take(shape, node, 1);
        for (int c : ground.countedOf[shape]) {
            if (ground.eligible[c][row[node]]) {
                tallies[c].add(domain(ground.problem.counted().get(c).key, node));
            }
        }
        if (steps == stepShape.length) {
            stepShape = Arrays.copyOf(stepShape, 2 * steps);
            stepNode = Arrays.copyOf(stepNode, 2 * steps);
        }
        stepShape[steps] = shape;
        stepNode[steps++] = node;
        left[shape]--;
    }

    /** Takes a placed pod back. */
    void takeBack(int step) {
        int shape = stepShape[step];
        int node = stepNode[step];
        steps--;
        System.arraycopy(stepShape, step + 1, stepShape, step, steps - step);
        System.arraycopy(stepNode, step + 1, stepNode, step, steps - step);
        left[shape]++;
        take(shape, node, -1);
        for (int c : ground.countedOf[shape]) {
            if (ground.eligible[c][row[node]]) {
                tallies[c].remove(domain(ground.problem.counted().get(c).key, node));
            }
        }
    }

    int placed() {
        return steps;
    }

    int shapeOf(int step) {
        return stepShape[step];
    }

    int nodeOf(int step) {
        return stepNode[step];
    }

    private void take(int shape, int node, int pods) {
        long[] requests = ground.problem.shapes().get(shape).requests;
        int at = node * requests.length;
        for (int r = 0; r < requests.length; r++) {
            free[at + r] -= pods * requests[r];
        }
    }
}
