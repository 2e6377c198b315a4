package io.evenkeel.loadtest.rpc;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.loadtest.load.IncomingPods;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.Pod;
import io.grpc.Channel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Makes twenty calls per second on a separate thread, about some pods in turn, while other calls are timed. */
final class SideCalls {
    private static final int MILLIS_BETWEEN = 50;
    private static final int SECONDS_TO_END = 10;

    private final TimedCall<?, ?> call;

    SideCalls(Channel channel, List<Pod> pods) {
        call = TimedCall.of(
                channel,
                LoadQuestions.evaluate(IncomingPods.batches(pods, 1), RpcBench.options(AnswerForm.ANSWER_FORM_BEST)));
    }

    /**
     * Pods with new selectors, so that the server must count the groups for each call.
     *
     * @param atMost the maximum time for which calls are made
     */
    static List<Pod> unknown(List<Pod> pods, Duration atMost) {
        List<Pod> unknown = new ArrayList<>();
        for (int i = 0; i <= atMost.toMillis() / MILLIS_BETWEEN; i++) {
            unknown.add(rephrased(pods.get(i % pods.size()), i));
        }
        return unknown;
    }

    /** The same pod with new selectors that match the same pods. */
    private static Pod rephrased(Pod pod, int number) {
        Pod.Builder other = pod.toBuilder();
        other.getSpecBuilder()
                .getTopologySpreadConstraintsBuilderList()
                .forEach(constraint -> constraint
                        .getLabelSelectorBuilder()
                        .addMatchExpressions(LabelSelectorRequirement.newBuilder()
                                .setKey("unheard-of")
                                .setOperator("NotIn")
                                .addValues(Integer.toString(number))));
        return other.build();
    }

    /** The times of other calls, which are made for {@code time} together with these. */
    Histogram during(RpcBench.Timed others, Duration time) throws IOException, InterruptedException {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        var calls = timer.scheduleWithFixedDelay(this::ask, 0, MILLIS_BETWEEN, TimeUnit.MILLISECONDS);
        Histogram times;
        try {
            times = others.during(time);
        } finally {
            timer.shutdown();
        }
        if (!timer.awaitTermination(SECONDS_TO_END, TimeUnit.SECONDS)) {
            throw new CommandFailure("a call did not end within " + SECONDS_TO_END + " s");
        }
        try {
            Object unused = calls.get();
        } catch (CancellationException stopped) {
            return times;
        } catch (ExecutionException failed) {
            throw new CommandFailure(String.valueOf(failed.getMessage()));
        }
        return times;
    }

    private void ask() {
        try {
            long unused = call.time();
        } catch (IOException | InterruptedException failed) {
            // Ends the calls.
            throw new CompletionException(failed);
        }
    }
}
