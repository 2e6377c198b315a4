package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Judges plans plainly: keeps a list of the pods that were placed, and recounts everything for every question. It
 * shares nothing with the code that makes plans.
 */
final class PlanJudge {
    private final Problem problem;
    private final List<NodeTemplate> newNodes = new ArrayList<>();
    private final List<Integer> newTemplates = new ArrayList<>();
    private final List<int[]> placed = new ArrayList<>();

    private PlanJudge(Problem problem, int[] newNodes) {
        this.problem = problem;
        for (int t = 0; t < newNodes.length; t++) {
            for (int i = 0; i < newNodes[t]; i++) {
                this.newNodes.add(problem.templates().get(t));
                newTemplates.add(t);
            }
        }
    }

    /** Every fault of a plan; none if it is valid. */
    static List<String> faults(Problem problem, Plan plan) {
        int[] newNodes = plan.newNodes();
        PlanJudge judge = new PlanJudge(problem, newNodes);
        List<String> faults = new ArrayList<>();
        long price = 0;
        for (int t = 0; t < newNodes.length; t++) {
            price += newNodes[t] * problem.templates().get(t).price;
            if (newNodes[t] > problem.templates().get(t).max) {
                faults.add("more nodes than the maximum of template " + t);
            }
        }
        if (price != plan.price()) {
            faults.add("price " + plan.price() + " instead of " + price);
        }
        int[] left = problem.shapes().stream().mapToInt(shape -> shape.pods).toArray();
        for (int step = 0; step < plan.placed(); step++) {
            int shape = plan.shape(step);
            int node = plan.node(step);
            left[shape]--;
            if (!judge.mayEnter(shape, node)) {
                faults.add("step " + step + " may not enter node " + node);
            }
            if (plan.isOrder() && !judge.admits(shape, node, 1)) {
                faults.add("step " + step + ", shape " + shape + ": Filter does not admit node " + node);
            }
            judge.placed.add(new int[] {shape, node});
            if (plan.isOrder() && !judge.holds(node)) {
                faults.add("step " + step + ": too little room on node " + node);
            }
        }
        if (!plan.isOrder()) {
            for (int[] pod : judge.placed) {
                if (!judge.admits(pod[0], pod[1], 0) || !judge.holds(pod[1])) {
                    faults.add("at the end, shape " + pod[0] + " may not be on node " + pod[1]);
                }
            }
        }
        for (int shape = 0; shape < left.length; shape++) {
            if (left[shape] < 0 || left[shape] != plan.unplaced()[shape]) {
                faults.add("shape " + shape + " has " + left[shape] + " pods left, not " + plan.unplaced()[shape]);
            }
        }
        return faults;
    }

    /** The most pods that can be placed one at a time, by trying all orders. */
    static int mostInOrder(Problem problem) {
        return new PlanJudge(problem, new int[problem.templates().size()]).most(new TreeMap<>());
    }

    private int most(Map<String, Integer> known) {
        String state = state();
        Integer before = known.get(state);
        if (before != null) {
            return before;
        }
        int most = placed.size();
        for (int shape = 0; shape < problem.shapes().size(); shape++) {
            for (int node = 0; node < nodes() && count(shape) < problem.shapes().get(shape).pods; node++) {
                if (mayEnter(shape, node) && admits(shape, node, 1)) {
                    placed.add(new int[] {shape, node});
                    if (holds(node)) {
                        most = Math.max(most, most(known));
                    }
                    placed.remove(placed.size() - 1);
                }
            }
        }
        known.put(state, most);
        return most;
    }

    /**
     * Whether all pods can be placed so that constraints and capacity are satisfied at the end, by trying all places.
     */
    static boolean hasEndState(Problem problem) {
        return new PlanJudge(problem, new int[problem.templates().size()]).hasEndState(0, 0);
    }

    private boolean hasEndState(int shape, int fromNode) {
        if (shape == problem.shapes().size()) {
            return placed.stream().allMatch(pod -> admits(pod[0], pod[1], 0) && holds(pod[1]));
        }
        if (count(shape) == problem.shapes().get(shape).pods) {
            return hasEndState(shape + 1, 0);
        }
        for (int node = fromNode; node < nodes(); node++) {
            if (mayEnter(shape, node)) {
                placed.add(new int[] {shape, node});
                boolean isFound = hasEndState(shape, node);
                placed.remove(placed.size() - 1);
                if (isFound) {
                    return true;
                }
            }
        }
        return false;
    }

    private long count(int shape) {
        return placed.stream().filter(pod -> pod[0] == shape).count();
    }

    private String state() {
        return placed.stream()
                .map(pod -> pod[0] + "@" + pod[1])
                .sorted()
                .toList()
                .toString();
    }

    private int nodes() {
        return problem.nodes().count + newNodes.size();
    }

    private int domain(int key, int node) {
        int existing = problem.nodes().count;
        if (node < existing) {
            return problem.nodes().domains[key][node];
        }
        int domain = newNodes.get(node - existing).domains[key];
        return domain == NodeTemplate.OWN_DOMAIN ? 1_000_000 + node : domain;
    }

    private boolean mayEnter(int shape, int node) {
        PodShape pod = problem.shapes().get(shape);
        int existing = problem.nodes().count;
        return node < existing
                ? pod.enterableNodes.get(node)
                : pod.enterableTemplates.get(newTemplates.get(node - existing));
    }

    private boolean isEligible(CountedPods counted, int node) {
        int existing = problem.nodes().count;
        return domain(counted.key, node) != NodeTemplate.NO_DOMAIN
                && (node < existing
                        ? counted.eligibleNodes.get(node)
                        : counted.eligibleTemplates.get(newTemplates.get(node - existing)));
    }

    private boolean holds(int node) {
        int existing = problem.nodes().count;
        for (int r = 0; r < problem.resources(); r++) {
            long free = node < existing
                    ? problem.nodes().free[node * problem.resources() + r]
                    : newNodes.get(node - existing).free[r];
            boolean isTaken = false;
            for (int[] pod : placed) {
                long request = problem.shapes().get(pod[0]).requests[r];
                if (pod[1] == node && request > 0) {
                    free -= request;
                    isTaken = true;
                }
            }
            if (isTaken && free < 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether constraints admit one more pod on the node, or, with {@code more} 0, those that are there. */
    private boolean admits(int shape, int node, int more) {
        for (HardConstraint constraint : problem.shapes().get(shape).constraints) {
            CountedPods counted = problem.counted().get(constraint.counted());
            if (domain(counted.key, node) == NodeTemplate.NO_DOMAIN) {
                return false;
            }
            Map<Integer, Integer> counts = new TreeMap<>();
            for (int n = 0; n < nodes(); n++) {
                if (isEligible(counted, n)) {
                    int domain = domain(counted.key, n);
                    counts.putIfAbsent(domain, domain < counted.counts.length ? counted.counts[domain] : 0);
                }
            }
            for (int[] pod : placed) {
                if (counted.shapes.get(pod[0]) && isEligible(counted, pod[1])) {
                    counts.merge(domain(counted.key, pod[1]), 1, Integer::sum);
                }
            }
            int minimum = counts.size() < constraint.minDomains()
                    ? 0
                    : counts.values().stream().mapToInt(count -> count).min().orElse(0);
            int self = constraint.selfMatch() ? more : 0;
            if (counts.getOrDefault(domain(counted.key, node), 0) + self - minimum > constraint.maxSkew()) {
                return false;
            }
        }
        return true;
    }
}
