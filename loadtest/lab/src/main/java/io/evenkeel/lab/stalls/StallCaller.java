package io.evenkeel.lab.stalls;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.plan.PodPlan;
import java.util.concurrent.atomic.LongAccumulator;

/** A thread that repeatedly asks for the best node, and records its longest wait. Closing it stops the thread. */
final class StallCaller implements AutoCloseable {
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);
    private final Thread thread;
    private volatile boolean stopped;
    private volatile long askedAt = System.nanoTime();

    StallCaller(SpreadEngine engine, PodPlan plan) {
        thread = new Thread(() -> ask(engine, plan), "asks for the best node");
        thread.setDaemon(true);
        thread.start();
    }

    private void ask(SpreadEngine engine, PodPlan plan) {
        Answer answer = new Answer();
        Question best = Question.best(NodeSubset.ALL, 1);
        while (!stopped) {
            long begin = System.nanoTime();
            askedAt = begin;
            engine.evaluate(plan, best, answer);
            longest.accumulate(System.nanoTime() - begin);
        }
    }

    void reset() {
        longest.reset();
    }

    /**
     * The longest time from a question to its answer since the last reset. An unanswered question counts with the time
     * that it has waited so far.
     */
    long longestNanos() {
        long waiting = System.nanoTime() - askedAt;
        return Math.max(longest.get(), waiting);
    }

    @Override
    public void close() {
        stopped = true;
    }
}
