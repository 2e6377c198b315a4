package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.CountHistogram;
import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.index.WideCounts;

/**
 * Finds the best nodes of the whole cluster for two soft constraints (zone and hostname, for example), from a
 * {@link JointHistogram}. No node is scored, and only as many words of node sets are read as it takes to find the
 * wanted nodes.
 *
 * <p>Within a domain, the score falls as the count rises. So the nodes with one score are, in each domain, those
 * between two counts. The best score is that of the least count of some domain. The next score begins at the counts
 * that follow:
 *
 * <pre>
 *   counts held in zone a   3 3 4 4 4 5 6      next[a]: the least count whose nodes are not taken yet
 *   scores of zone a        ──98──┘ └─97─      a level: one score, and for each domain the counts that have it
 *   counts held in zone b       4 5 5 6 7
 *   scores of zone b            ──97──┘ └96
 * </pre>
 */
final class BestByCounts {
    private static final int NONE = -1;

    private int[] next = {};
    private int[] last = {};
    private int[] scoreOfNext = {};

    /**
     * Fills {@code best} with nodes and their scores.
     *
     * @param words how many words a set of all slots has
     */
    void run(JointHistogram joint, ScoreCells scores, int words, BestNodes best) {
        begin(scores);
        while (!best.isFull()) {
            int score = topScore(scores);
            if (score == NONE) {
                break;
            }
            int nodes = takeLevel(joint, scores, score);
            int had = best.count();
            collect(joint, words, best, best.countAfter(nodes));
            best.score(had, score);
            if (!best.isFull()) {
                endLevel(joint, scores);
            }
        }
    }

    /** The slots of one word that are in the level. */
    private long levelIn(int word, Topology topology, WideCounts counts) {
        long level = 0;
        for (int domain = 0; domain < topology.domainLimit(); domain++) {
            if (last[domain] >= next[domain]) {
                level |= topology.slotsOf(domain)[word] & counts.between(next[domain], last[domain], word);
            }
        }
        return level;
    }

    private void begin(ScoreCells scores) {
        int domains = scores.cells();
        if (next.length < domains) {
            next = new int[domains];
            last = new int[domains];
            scoreOfNext = new int[domains];
        }
        for (int domain = 0; domain < domains; domain++) {
            startAt(domain, scores.least(domain), scores);
        }
    }

    private void startAt(int domain, int count, ScoreCells scores) {
        next[domain] = count;
        scoreOfNext[domain] = count <= scores.greatest(domain) ? scores.score(domain, count) : NONE;
    }

    /** The best score among the nodes that are not taken yet, or NONE. */
    private int topScore(ScoreCells scores) {
        int top = NONE;
        for (int domain = 0; domain < scores.cells(); domain++) {
            top = Math.max(top, scoreOfNext[domain]);
        }
        return top;
    }

    /**
     * Sets {@code last} of each domain to the end of its counts with that score, or to just before {@code next} if it
     * has none. Returns how many nodes have the score.
     */
    private int takeLevel(JointHistogram joint, ScoreCells scores, int score) {
        int nodes = 0;
        for (int domain = 0; domain < scores.cells(); domain++) {
            int from = next[domain];
            last[domain] = from - 1;
            if (scoreOfNext[domain] == score) {
                last[domain] = scores.lastWithScoreOf(domain, from);
                CountHistogram nodesAt = joint.nodesAt(domain);
                for (int count = from;
                        count != CountHistogram.NONE && count <= last[domain];
                        count = nodesAt.nextHeld(count + 1)) {
                    nodes += nodesAt.domainsAt(count);
                }
            }
        }
        return nodes;
    }

    /** Adds the nodes of the level to {@code best}, lower indexes first, until there are {@code target}. */
    private void collect(JointHistogram joint, int words, BestNodes best, int target) {
        WideCounts counts = (WideCounts) joint.group.counts();
        Topology topology = joint.topology;
        int lone = loneMinimum(joint);
        int had = best.count();
        for (int w = lone < 0 ? 0 : joint.first(lone) >>> 6; w < words && best.count() < target; w++) {
            long level = levelIn(w, topology, counts);
            if (level != 0) {
                if (lone >= 0 && best.count() == had) {
                    joint.setFirst(lone, w << 6 | Long.numberOfTrailingZeros(level));
                }
                best.addWord(w, level, target);
            }
        }
    }

    /**
     * The domain whose least count makes up the whole level, or -1. Its first node need not be searched from the start.
     */
    private int loneMinimum(JointHistogram joint) {
        int lone = -1;
        for (int domain = 0; domain < joint.topology.domainLimit(); domain++) {
            if (last[domain] >= next[domain]) {
                if (lone >= 0 || last[domain] > joint.nodesAt(domain).minimum()) {
                    return -1;
                }
                lone = domain;
            }
        }
        return lone;
    }

    /** Moves on from the counts of the level to the next counts that domains have. */
    private void endLevel(JointHistogram joint, ScoreCells scores) {
        for (int domain = 0; domain < scores.cells(); domain++) {
            if (last[domain] >= next[domain]) {
                int count = joint.nodesAt(domain).nextHeld(last[domain] + 1);
                startAt(domain, count == CountHistogram.NONE ? scores.greatest(domain) + 1 : count, scores);
            }
        }
    }
}
