package io.evenkeel.lab.kube;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for the first answer of a server that has just started to follow a cluster. */
final class FirstAnswer {
    /** More frequent calls would take processor time from the server. */
    private static final long PAUSE_MILLIS = 50;

    private FirstAnswer() {}

    /**
     * Polls until there is an answer.
     *
     * @param continues whether the server can still answer
     * @throws IOException if the server has ended
     */
    static void await(String target, Pod pod, BooleanSupplier continues) throws IOException, InterruptedException {
        try (PlacementClient client = RemotePlacement.builder(target)
                .attempts(1)
                .deadline(Duration.ofMinutes(1))
                .build()) {
            while (true) {
                try {
                    client.evaluate(Query.of(pod).best(1).toEvaluate());
                    return;
                } catch (PlacementException notYet) {
                    if (!continues.getAsBoolean()) {
                        throw new IOException("the server has ended", notYet);
                    }
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
            }
        }
    }
}
