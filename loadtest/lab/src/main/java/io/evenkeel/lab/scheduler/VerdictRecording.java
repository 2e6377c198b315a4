package io.evenkeel.lab.scheduler;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Writes the verdicts and scores of all nodes for the pods of a turn, placing each on its best node before evaluating
 * the next. {@code loadtest/scheduler} plays the recording, and describes the file format.
 */
final class VerdictRecording {
    private static final int HARD = 1;
    private static final int SOFT = 2;

    private VerdictRecording() {}

    static void write(ClusterGenerator cluster, List<Pod> pods, Path file) throws IOException {
        try (LocalEngine engine = LocalEngine.holding(cluster);
                PlacementClient client = engine.client();
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            List<String> nodes = engine.nodes();
            out.writeInt(nodes.size());
            for (String node : nodes) {
                text(node, out);
            }
            out.writeInt(pods.size());
            for (Pod pod : pods) {
                PodAnswer answer = client.evaluate(
                                Query.of(pod).packed().best(1).toEvaluate())
                        .getAnswers(0);
                if (answer.hasError()) {
                    throw PlacementException.of(answer.getError());
                }
                PackedAnswer packed = answer.getPacked();
                text(RacePods.key(pod), out);
                out.writeByte((packed.getHardConstraintCount() > 0 ? HARD : 0)
                        | (packed.getSoftConstraintCount() > 0 ? SOFT : 0));
                if (packed.getHardConstraintCount() > 0) {
                    out.write(Arrays.copyOf(packed.getPassed().toByteArray(), (nodes.size() + 7) / 8));
                }
                if (packed.getSoftConstraintCount() > 0) {
                    out.write(Arrays.copyOf(packed.getScores().toByteArray(), nodes.size()));
                }
                if (packed.getBestIndexesCount() > 0) {
                    client.assume(AssumeRequest.newBuilder()
                            .addPods(AssumedPod.newBuilder().setPod(pod).setNode(nodes.get(packed.getBestIndexes(0))))
                            .build());
                }
            }
        }
    }

    private static void text(String text, DataOutputStream out) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
