package io.evenkeel.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/** Picks the best nodes of those that passed: higher scores first, equal scores by lower index. */
final class BestPass {
    private static final int SCORES = 101;
    private static final int FEW = 64;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final int FIRST_WORDS = 8;
    private static final int MOST_WORDS = 512;

    private BestPass() {}

    /**
     * Of an answer whose candidates are judged and, where there are soft constraints, scored.
     *
     * @param byCounts whether {@link ScorePass} has left the whole cluster's cells
     */
    static void run(PodPlan plan, Answer answer, int howMany, boolean byCounts) {
        if (howMany == 0) {
            return;
        }
        int[] best = answer.beginBest(howMany);
        int room = Math.min(howMany, best.length);
        if (!answer.isScored()) {
            answer.endBest(take(answer.passed(), 0, answer.words(), best, 0, room));
        } else if (byCounts) {
            answer.endBest(takeByCounts(Objects.requireNonNull(plan.joint), answer, best, room));
        } else {
            answer.endBest(room <= FEW ? fewByScore(answer, best, room) : byScore(answer, best, room));
        }
    }

    /**
     * Without judging every node of the cluster, where that can be; answers whether it could.
     *
     * @param known every node of the cluster, which all are candidates
     */
    static boolean runAlone(PodPlan plan, long[] known, Answer answer, int howMany) {
        if (plan.soft.length == 0) {
            int[] best = answer.beginBest(howMany);
            answer.endBest(firstToPass(plan, known, answer, best, Math.min(howMany, best.length)));
            return true;
        }
        return plan.hard.length == 0 && byCounts(plan, answer, howMany);
    }

    /** Of an answer whose candidates are judged, without scoring them all, where that can be; answers whether it could. */
    static boolean runByCounts(PodPlan plan, Answer answer, int howMany) {
        return plan.joint != null
                && NodeBits.cardinality(answer.passed(), answer.words()) == answer.nodes()
                && byCounts(plan, answer, howMany);
    }

    /** Where every node of the cluster has passed. */
    private static boolean byCounts(PodPlan plan, Answer answer, int howMany) {
        JointHistogram joint = plan.joint;
        if (joint == null || !ScoreCells.areKept(plan, answer)) {
            return false;
        }
        int[] best = answer.beginBest(howMany);
        int room = Math.min(howMany, best.length);
        answer.scratch.cells.takeWhole(plan, joint, ScorePass.weights(plan, answer.scratch));
        answer.beginBestScores();
        answer.endBest(takeByCounts(joint, answer, best, room));
        return true;
    }

    private static int takeByCounts(JointHistogram joint, Answer answer, int[] best, int room) {
        Answer.Scratch scratch = answer.scratch;
        return scratch.bestByCounts.run(joint, scratch.cells, answer.words(), best, answer.bestScores(), room);
    }

    /** The lowest indexes that the hard constraints let pass, judged some words at a time, more each time. */
    private static int firstToPass(PodPlan plan, long[] known, Answer answer, int[] best, int room) {
        int words = answer.words();
        long[] passed = answer.passed();
        int count = 0;
        int to = Math.min(words, FIRST_WORDS);
        for (int from = 0; from < words && count < room; ) {
            System.arraycopy(known, from, passed, from, to - from);
            FilterPass.retain(plan, answer, passed, from, to);
            count = take(passed, from, to, best, count, room);
            int next = Math.min(words, to + Math.min(MOST_WORDS, (to - from) * 4));
            from = to;
            to = next;
        }
        return count;
    }

    /** Adds the slots of words {@code from} to {@code to} to the {@code had} in {@code best}, until there are {@code room}. */
    private static int take(long[] slots, int from, int to, int[] best, int had, int room) {
        int count = had;
        for (int w = from; w < to && count < room; w++) {
            for (long left = slots[w]; left != 0 && count < room; left &= left - 1) {
                best[count++] = w << 6 | Long.numberOfTrailingZeros(left);
            }
        }
        return count;
    }

    /**
     * Keeps the best so far in order, and compares eight scores at once with the least of them: what is not above it cannot come in, since equal scores go by index. A score
     * is below 128, so that adding what is missing to 128 carries into no other byte.
     */
    private static int fewByScore(Answer answer, int[] best, int room) {
        long[] passed = answer.passed();
        byte[] scores = answer.scores();
        byte[] bestScores = answer.bestScores();
        int slots = answer.words() << 6;
        int count = 0;
        int slot = 0;
        while (slot < slots && count < room) {
            if (NodeBits.get(passed, slot)) {
                insert(slot, scores[slot], best, bestScores, count++);
            }
            slot++;
        }
        while ((slot & 7) != 0) {
            replaceLast(slot, scores[slot], best, bestScores, count);
            slot++;
        }
        for (int at = slot; at < slots; at += 8) {
            long above = (long) LONGS.get(scores, at) + (127 - bestScores[count - 1]) * LOW_BITS & HIGH_BITS;
            for (; above != 0; above &= above - 1) {
                int each = at + (Long.numberOfTrailingZeros(above) >>> 3);
                replaceLast(each, scores[each], best, bestScores, count);
            }
        }
        return count;
    }

    private static void replaceLast(int slot, byte score, int[] best, byte[] bestScores, int count) {
        if (score > bestScores[count - 1]) {
            insert(slot, score, best, bestScores, count - 1);
        }
    }

    /** Puts a slot behind those of the {@code count} in order that score as well or better. */
    private static void insert(int slot, byte score, int[] best, byte[] bestScores, int count) {
        int place = count;
        while (place > 0 && bestScores[place - 1] < score) {
            best[place] = best[place - 1];
            bestScores[place] = bestScores[place - 1];
            place--;
        }
        best[place] = slot;
        bestScores[place] = score;
    }

    /** A counting sort that places only what has room: each score's nodes go, by index, to where the better scores' end. */
    private static int byScore(Answer answer, int[] best, int room) {
        long[] passed = answer.passed();
        byte[] scores = answer.scores();
        byte[] bestScores = answer.bestScores();
        int words = answer.words();
        int[] place = answer.scratch.places;
        Arrays.fill(place, 0);
        for (int w = 0; w < words; w++) {
            for (long left = passed[w]; left != 0; left &= left - 1) {
                place[scores[w << 6 | Long.numberOfTrailingZeros(left)]]++;
            }
        }
        int total = 0;
        for (int score = SCORES - 1; score >= 0; score--) {
            int nodes = place[score];
            place[score] = total;
            total += nodes;
        }
        int placed = 0;
        int target = Math.min(room, total);
        for (int w = 0; w < words && placed < target; w++) {
            for (long left = passed[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                int at = place[scores[slot]]++;
                if (at < room) {
                    best[at] = slot;
                    bestScores[at] = scores[slot];
                    placed++;
                }
            }
        }
        return target;
    }
}
