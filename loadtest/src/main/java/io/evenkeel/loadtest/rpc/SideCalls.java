package io.evenkeel.loadtest.rpc;

import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.IncomingPods;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.Pod;
import io.grpc.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes twenty calls per second on a separate thread, while other calls are timed. One thread must start and stop it.
 */
final class SideCalls {
    private static final int MILLIS_BETWEEN = 50;
    private static final int SECONDS_TO_END = 10;

    private final TimedCall<EncodedRequest, EvaluateResponse> call;
    private @Nullable ScheduledExecutorService timer;
    private volatile @Nullable String fault;

    private SideCalls(Channel channel, List<Pod> pods) {
        call = TimedCall.of(
                channel,
                LoadQuestions.evaluate(IncomingPods.batches(pods, 1), RpcBench.options(AnswerForm.ANSWER_FORM_BEST)));
    }

    /** Starts calls about these pods in turn. */
    static SideCalls known(Channel channel, List<Pod> pods) {
        return new SideCalls(channel, pods);
    }

    /**
     * Starts calls about these pods in turn, each time with new selectors, so that the server must count the groups for
     * each call.
     *
     * @param atMost the maximum time for which calls are made
     */
    static SideCalls firstSights(Channel channel, List<Pod> pods, Duration atMost) {
        List<Pod> asked = new ArrayList<>();
        for (int i = 0; i <= atMost.toMillis() / MILLIS_BETWEEN; i++) {
            asked.add(rephrased(pods.get(i % pods.size()), i));
        }
        return new SideCalls(channel, asked);
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

    void start() {
        ScheduledExecutorService starting = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "evenkeel-side-calls");
            thread.setDaemon(true);
            return thread;
        });
        timer = starting;
        var unused = starting.scheduleWithFixedDelay(this::ask, 0, MILLIS_BETWEEN, TimeUnit.MILLISECONDS);
    }

    /** @throws FailedCallException if a call failed */
    void stop() throws InterruptedException, FailedCallException {
        ScheduledExecutorService stopping = timer;
        if (stopping != null) {
            stopping.shutdown();
            if (!stopping.awaitTermination(SECONDS_TO_END, TimeUnit.SECONDS)) {
                throw new FailedCallException("a call did not end within " + SECONDS_TO_END + " s");
            }
        }
        String problem = fault;
        if (problem != null) {
            throw new FailedCallException(problem);
        }
    }

    private void ask() {
        try {
            if (fault == null) {
                call.time();
            }
        } catch (FailedCallException failed) {
            fault = String.valueOf(failed.getMessage());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
