package io.evenkeel.loadtest.engine;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures how many answers two threads get from one engine, divided by how many they get from two engines. The two
 * measurements alternate in this JVM, so that other load on the machine affects both.
 */
final class ScalingRun {
    private static final int ROUNDS = 15;
    private static final int WARM_UP = 4;
    private static final int CALLS_A_LOOK = 64;

    /** The questions of one thread: two pods in turn, so that no answer can be cached. */
    private record Asking(SpreadEngine engine, PodPlan one, PodPlan other) {
        static Asking of(BenchCluster cluster, String shape) {
            List<Workload> workloads = cluster.generator().workloads();
            Spread incoming = Spread.valueOf(shape);
            PodPlan[] plans = {
                cluster.local().plan(incoming.of(workloads.get(0))),
                cluster.local().plan(incoming.of(workloads.get(workloads.size() - 1)))
            };
            return new Asking(cluster.local().engine(), plans[0], plans[1]);
        }
    }

    private final Question question;
    private final long windowNanos;
    private final CyclicBarrier start = new CyclicBarrier(2);

    private ScalingRun(Question question, long windowNanos) {
        this.question = question;
        this.windowNanos = windowNanos;
    }

    /** @param seconds roughly how long to measure */
    static Measurement of(Figure figure, int seconds) {
        Question question = figure.parameter("ask").equals("best1")
                ? Question.best(NodeSubset.ALL, 1)
                : Question.evaluate(NodeSubset.ALL, 0);
        ScalingRun run = new ScalingRun(question, seconds * 1_000_000_000L / (2 * ROUNDS));
        BenchCluster first = BenchCluster.of(figure);
        BenchCluster second = BenchCluster.of(figure);
        Asking one = Asking.of(first, figure.parameter("pod"));
        Asking other = Asking.of(second, figure.parameter("pod"));
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            double[] ratios = new double[ROUNDS];
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                double together = run.answers(threads, one, one);
                double apart = run.answers(threads, one, other);
                if (round >= 0) {
                    ratios[round] = together / apart;
                }
            }
            Arrays.sort(ratios);
            return new Measurement(figure, 0, 0, 0, ratios[ROUNDS / 2]);
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            threads.shutdownNow();
            first.close();
            second.close();
        }
    }

    /** Answers per second of two threads together. */
    private double answers(ExecutorService threads, Asking one, Asking other)
            throws InterruptedException, ExecutionException {
        List<Future<Double>> rates = new ArrayList<>();
        for (Asking asking : List.of(one, other)) {
            rates.add(threads.submit(() -> rate(asking)));
        }
        return rates.get(0).get() + rates.get(1).get();
    }

    private double rate(Asking asking) throws Exception {
        Answer answer = new Answer();
        start.await();
        long begin = System.nanoTime();
        long calls = 0;
        long now;
        do {
            for (int i = 0; i < CALLS_A_LOOK; i += 2) {
                asking.engine.evaluate(asking.one, question, answer);
                asking.engine.evaluate(asking.other, question, answer);
            }
            calls += CALLS_A_LOOK;
            now = System.nanoTime();
        } while (now - begin < windowNanos);
        return calls * 1e9 / (now - begin);
    }
}
