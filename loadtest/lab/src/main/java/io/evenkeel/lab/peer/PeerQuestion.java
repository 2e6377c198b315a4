package io.evenkeel.lab.peer;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;

/**
 * A question to both sides: an incoming pod, and the candidate nodes.
 *
 * @param candidates node names; empty for all nodes
 * @param copies how many such pods are placed one after another, each counted before the next; 0 to only judge the pod
 */
public record PeerQuestion(Spread shape, Pod pod, List<String> candidates, int copies) {
    /** The number of feasible nodes that kube-scheduler looks for among 5,000 by default. */
    private static final int SAMPLE = 500;

    /** So few that a node with 30 pods could take all of them. */
    private static final int COPIES = 50;

    public PeerQuestion {
        candidates = List.copyOf(candidates);
    }

    /** The questions of a run: each shape on all nodes, on the first nodes that may take the pod, and with copies. */
    static List<PeerQuestion> ofEachShape(ClusterGenerator cluster, EngineSide engine) {
        List<PeerQuestion> questions = new ArrayList<>();
        for (Spread shape : Spread.values()) {
            Pod pod = shape.in(cluster);
            questions.add(new PeerQuestion(shape, pod, List.of(), 0));
            questions.add(new PeerQuestion(shape, pod, engine.firstPassed(pod, SAMPLE), 0));
            questions.add(new PeerQuestion(shape, pod, List.of(), COPIES));
        }
        return questions;
    }

    /** A name that is unique among the questions of a run. */
    public String name() {
        return shape.words() + ", " + what();
    }

    private String what() {
        if (copies > 0) {
            return copies + " placed";
        }
        return candidates.isEmpty() ? "all nodes" : candidates.size() + " nodes";
    }
}
