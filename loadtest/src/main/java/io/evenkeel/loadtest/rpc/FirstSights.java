package io.evenkeel.loadtest.rpc;

import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Asks about pods whose constraints nobody has asked by before, twenty a second: each has the server count its groups anew. Started and stopped by one thread. */
final class FirstSights {
    private static final int MILLIS_BETWEEN = 50;
    private static final int SECONDS_TO_END = 10;

    private final PlacementGrpc.PlacementBlockingStub server;
    private final List<Pod> pods;
    private @Nullable ScheduledExecutorService timer;
    private int asked;
    private volatile @Nullable String fault;

    /** @param pods with constraints of their own, asked about in turn */
    FirstSights(Channel channel, List<Pod> pods) {
        this.server = PlacementGrpc.newBlockingStub(channel);
        this.pods = pods;
    }

    void start() {
        ScheduledExecutorService starting = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "evenkeel-first-sights");
            thread.setDaemon(true);
            return thread;
        });
        timer = starting;
        var unused = starting.scheduleWithFixedDelay(this::ask, 0, MILLIS_BETWEEN, TimeUnit.MILLISECONDS);
    }

    /** @throws FailedCallException where one of them could not be judged */
    void stop() throws InterruptedException, FailedCallException {
        ScheduledExecutorService stopping = timer;
        if (stopping != null) {
            stopping.shutdown();
            if (!stopping.awaitTermination(SECONDS_TO_END, TimeUnit.SECONDS)) {
                throw new FailedCallException("a first sight takes more than " + SECONDS_TO_END + " s");
            }
        }
        String problem = fault;
        if (problem != null) {
            throw new FailedCallException(problem);
        }
    }

    private void ask() {
        if (fault != null) {
            return;
        }
        try {
            EvaluateResponse response = server.evaluate(EvaluateRequest.newBuilder()
                    .addPods(rephrased())
                    .setOptions(QueryOptions.newBuilder().setForm(AnswerForm.BEST))
                    .build());
            if (response.getAnswers(0).hasError()) {
                fault = response.getAnswers(0).getError().getMessage();
            }
        } catch (StatusRuntimeException failed) {
            fault = String.valueOf(failed.getMessage());
        }
    }

    /** Selects the same pods by other words. */
    private Pod rephrased() {
        String value = Integer.toString(asked);
        Pod.Builder other = pods.get(asked % pods.size()).toBuilder();
        other.getSpecBuilder()
                .getTopologySpreadConstraintsBuilderList()
                .forEach(constraint -> constraint
                        .getLabelSelectorBuilder()
                        .addMatchExpressions(LabelSelectorRequirement.newBuilder()
                                .setKey("unheard-of")
                                .setOperator("NotIn")
                                .addValues(value)));
        asked++;
        return other.build();
    }
}
