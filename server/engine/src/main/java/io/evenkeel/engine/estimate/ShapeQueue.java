package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes that can take more pods of one shape, the lowest counts first.
 *
 * <pre>
 *   bucket    the nodes that share the domains of all keys that are not per node (such as zones); one check for all
 *   heap      the nodes of a bucket by (count per node, rank, node), in one long each; the rank is that of the policy,
 *             or, if the policy is considerate, the sum of all counts that a pod on the node would raise
 * </pre>
 *
 * Counts only grow while a queue is used, so an entry is brought up to date when it comes to the top. For a shape that
 * has one zone-like and one hostname-like constraint, no order of placements reaches more pods than "the lowest node of
 * the lowest zone that admits one": a pod elsewhere never lowers a minimum, and among the nodes of a zone, the lowest
 * one raises the minimum soonest.
 */
final class ShapeQueue {
    private static final int NONE = -1;
    private static final int NODE_BITS = 24;
    private static final int RANK_BITS = 20;

    private final Trial trial;
    private final int shape;
    private final Policy policy;
    private final boolean isChecked;
    private final List<HardConstraint> perNode = new ArrayList<>();
    private final List<HardConstraint> perBucket = new ArrayList<>();
    private final List<Heap> buckets = new ArrayList<>();
    private Heap lastBucket = new Heap();

    /** @param isChecked whether constraints must admit each pod; if not, they only decide which node comes first */
    ShapeQueue(Trial trial, int shape, Policy policy, boolean isChecked) {
        this.trial = trial;
        this.shape = shape;
        this.policy = policy;
        this.isChecked = isChecked;
        Problem problem = trial.ground.problem;
        for (HardConstraint constraint : problem.shapes().get(shape).constraints) {
            int key = problem.counted().get(constraint.counted()).key;
            (trial.ground.perNode[key] ? perNode : perBucket).add(constraint);
        }
        Map<Long, Integer> numbers = new HashMap<>();
        for (int node = 0; node < trial.nodes(); node++) {
            if (takes(node)) {
                int bucket = perBucket.isEmpty() ? 0 : bucket(numbers, node);
                while (buckets.size() <= bucket) {
                    buckets.add(new Heap());
                }
                buckets.get(bucket).add(entry(node));
            }
        }
    }

    /** The node that takes the next pod, or -1 if none does now. */
    int next() {
        int best = NONE;
        long bestLevel = Long.MAX_VALUE;
        long bestEntry = Long.MAX_VALUE;
        for (Heap bucket : buckets) {
            long top = top(bucket);
            if (top == NONE) {
                continue;
            }
            int node = node(top);
            if (!isChecked || trial.admits(shape, node)) {
                long level = level(perBucket, node);
                if (level < bestLevel || level == bestLevel && top < bestEntry) {
                    best = node;
                    lastBucket = bucket;
                    bestLevel = level;
                    bestEntry = top;
                }
            }
        }
        return best;
    }

    /** Places pods until {@code most} are placed or no node takes one; returns how many. */
    int place(int most) {
        for (int placed = 0; placed < most; placed++) {
            trial.ground.stop.check();
            int node = next();
            if (node == NONE) {
                return placed;
            }
            trial.place(shape, node);
            lastBucket.replaceTop(entry(node));
        }
        return most;
    }

    private long top(Heap bucket) {
        while (bucket.size > 0) {
            long top = bucket.entries[0];
            int node = node(top);
            if (!takes(node)) {
                bucket.removeTop();
            } else if (level(perNode, node) > top >>> NODE_BITS + RANK_BITS
                    || policy.isConsiderate && entry(node) > top) {
                bucket.replaceTop(entry(node));
            } else {
                return top;
            }
        }
        return NONE;
    }

    private boolean takes(int node) {
        return trial.enters(shape, node) && trial.fits(shape, node);
    }

    private int bucket(Map<Long, Integer> numbers, int node) {
        long bucket = 0;
        for (HardConstraint constraint : perBucket) {
            int key = trial.ground.problem.counted().get(constraint.counted()).key;
            // Pairs of a bucket of the constraints so far and a domain get numbers from 1; 0 is the start.
            long pair = bucket << 32 | trial.domain(key, node);
            bucket = numbers.computeIfAbsent(pair, any -> numbers.size() + 1);
        }
        return (int) bucket - 1;
    }

    private long entry(int node) {
        int rank = policy.isConsiderate ? allCounts(node) : policy.rank(trial, shape, node);
        return (level(perNode, node) << RANK_BITS | rank) << NODE_BITS | node;
    }

    /** The sum of all counts that a pod on the node would raise, also those of other shapes; at most 2^20 - 1. */
    private int allCounts(int node) {
        long counts = 0;
        for (int counted : trial.ground.countedOf[shape]) {
            counts += count(counted, node);
        }
        return (int) Math.min(counts, (1 << RANK_BITS) - 1);
    }

    private long level(List<HardConstraint> constraints, int node) {
        long level = 0;
        for (HardConstraint constraint : constraints) {
            level += count(constraint.counted(), node);
        }
        return Math.min(level, (1L << 63 - NODE_BITS - RANK_BITS) - 1);
    }

    /** The count of a node's domain; 0 if the node has none, as it may only be for constraints of other shapes. */
    private int count(int counted, int node) {
        int domain = trial.domain(trial.ground.problem.counted().get(counted).key, node);
        return domain == NodeTemplate.NO_DOMAIN ? 0 : trial.tallies[counted].count(domain);
    }

    private static int node(long entry) {
        return (int) entry & (1 << NODE_BITS) - 1;
    }

    /** A binary heap of longs. */
    private static final class Heap {
        private long[] entries = new long[8];
        private int size;

        void add(long entry) {
            if (size == entries.length) {
                entries = Arrays.copyOf(entries, 2 * size);
            }
            int at = size++;
            while (at > 0 && entries[at - 1 >>> 1] > entry) {
                entries[at] = entries[at - 1 >>> 1];
                at = at - 1 >>> 1;
            }
            entries[at] = entry;
        }

        void removeTop() {
            long last = entries[--size];
            if (size > 0) {
                replaceTop(last);
            }
        }

        void replaceTop(long entry) {
            int at = 0;
            while (2 * at + 1 < size) {
                int child = 2 * at + 1;
                if (child + 1 < size && entries[child + 1] < entries[child]) {
                    child++;
                }
                if (entries[child] >= entry) {
                    break;
                }
                entries[at] = entries[child];
                at = child;
            }
            entries[at] = entry;
        }
    }
}
