package io.evenkeel.loadtest.peer;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.IncomingShape;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;

/**
 * What both sides are asked: one incoming pod, and the nodes that it is judged on.
 *
 * @param candidates node names; empty for every node
 */
record PeerQuestion(IncomingShape shape, Pod pod, List<String> candidates) {
    /** As many feasible nodes as kube-scheduler looks for among 5,000, by default. */
    private static final int SAMPLE = 500;

    PeerQuestion {
        candidates = List.copyOf(candidates);
    }

    /** Each shape on every node, and on the first that it passes. */
    static List<PeerQuestion> ofEachShape(ClusterGenerator cluster, EngineSide engine) {
        List<PeerQuestion> questions = new ArrayList<>();
        for (IncomingShape shape : IncomingShape.values()) {
            Pod pod = shape.in(cluster);
            questions.add(new PeerQuestion(shape, pod, List.of()));
            questions.add(new PeerQuestion(shape, pod, engine.firstPassed(pod, SAMPLE)));
        }
        return questions;
    }

    /** Unique among the questions of a run. */
    String name() {
        return shape.words() + ", " + (candidates.isEmpty() ? "all nodes" : candidates.size() + " nodes");
    }
}
