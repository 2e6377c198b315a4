package io.evenkeel.loadtest.engine;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Measures how many bytes answers allocate, in this JVM and thread. Does not use JMH, because JMH itself allocates. */
final class GarbageRun {
    private static final int CALLS = 500_000;

    private GarbageRun() {}

    /** @param figure a figure of {@link AnswerBenchmark} */
    static Measurement of(Figure figure) {
        BenchCluster cluster = BenchCluster.of(figure);
        AnswerBenchmark answers = new AnswerBenchmark();
        answers.pod = figure.parameter("pod");
        answers.ask = figure.parameter("ask");
        answers.candidates = figure.parameter("candidates");
        answers.between = figure.parameter("between");
        answers.prepare(cluster);
        allocated(answers);
        allocated(answers);
        double bytes = allocated(answers);
        cluster.close();
        return new Measurement(figure, 0, 0, bytes, Double.NaN);
    }

    /** Bytes that one call allocates. */
    private static double allocated(AnswerBenchmark answers) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CALLS; i++) {
            answers.between();
            answers.answer();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / (double) CALLS;
    }
}
