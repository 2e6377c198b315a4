package io.evenkeel.loadtest.engine;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.local.PeerPrograms;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;

/** The Go programs that run kube-scheduler's plugin and Karpenter's scheduler for the pods of a simulation. */
final class SimulationPeers {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final PeerPrograms programs;

    /**
     * A kind of pods that the plugin places.
     *
     * @param pod its protobuf bytes in base64
     * @param copies how many are placed one after another
     */
    private record Question(String name, String pod, int copies) {}

    /**
     * How fast the plugin placed pods.
     *
     * @param p50Nanos the median time of a pod
     */
    record Placed(long p50Nanos) {}

    /**
     * Karpenter's estimate.
     *
     * @param nodes how many nodes it would start
     * @param placed how many pods these take
     * @param finished whether it was done within its time limit
     */
    record Solved(long nanos, int nodes, int placed, boolean finished) {}

    SimulationPeers(PeerPrograms programs) {
        this.programs = programs;
    }

    /** Has kube-scheduler's plugin judge all nodes for a pod, and place it, {@code copies} times. */
    Placed place(ClusterGenerator cluster, Pod pod, int copies) throws IOException, InterruptedException {
        Path questions = programs.file("questions.json");
        String bytes = Base64.getEncoder().encodeToString(pod.toByteArray());
        JSON.writeValue(questions.toFile(), List.of(new Question(copies + " pods in turn", bytes, copies)));
        Placed[] answers =
                programs.run("", Placed[].class, cluster.objects(), "-answers", "-questions", questions.toString());
        return answers[0];
    }

    /**
     * Has Karpenter estimate how many nodes pending pods need.
     *
     * @param templates a node of each instance type, and a pending pod
     */
    Solved solve(Iterator<ClusterObject> templates, int pods, int maxSeconds) throws IOException, InterruptedException {
        return programs.run(
                "karpenter",
                Solved.class,
                templates,
                "-result",
                "-pods",
                Integer.toString(pods),
                "-limit",
                maxSeconds + "s");
    }
}
