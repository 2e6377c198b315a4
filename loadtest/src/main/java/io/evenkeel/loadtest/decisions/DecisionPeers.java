package io.evenkeel.loadtest.decisions;

import io.evenkeel.loadtest.cluster.FullCluster;
import io.evenkeel.loadtest.cluster.SkewedCluster;
import io.evenkeel.loadtest.local.PeerPrograms;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The Go programs that run the descheduler's plugin and that of kube-scheduler, on clusters from files. */
final class DecisionPeers {
    private final PeerPrograms programs;

    /**
     * What the descheduler did.
     *
     * @param runs its runs in order; the last one evicts nothing, unless it was stopped before
     * @param nodes by the name of each evicted pod, the node of its last replacement; empty if it has none
     */
    record Descheduled(List<Run> runs, Map<String, String> nodes) {
        record Run(long nanos, int evictions) {}

        int evictions() {
            return runs.stream().mapToInt(Run::evictions).sum();
        }

        /** The pods that have no node. */
        long pending() {
            return nodes.values().stream().filter(String::isEmpty).count();
        }
    }

    /**
     * kube-scheduler's dry run of a preemption.
     *
     * @param candidates on how many nodes it helps
     * @param node the node that it chooses, and the names of the pods that it removes there
     */
    record DryRun(long p50Nanos, long p99Nanos, int candidates, String node, List<String> victims) {}

    DecisionPeers(PeerPrograms programs) {
        this.programs = programs;
    }

    /** Runs the descheduler until it evicts nothing, or until it has run that many times. */
    Descheduled deschedule(SkewedCluster cluster, int runs) throws IOException, InterruptedException {
        return programs.run(
                "descheduler", Descheduled.class, cluster.objects(), "-result", "-runs", Integer.toString(runs));
    }

    /** Times the dry run of a preemption for the pending pod. */
    DryRun preempt(FullCluster cluster, int calls) throws IOException, InterruptedException {
        return programs.run(
                "preemption",
                DryRun.class,
                cluster.objectsAndPendingPod(),
                "-result",
                "-calls",
                Integer.toString(calls));
    }
}
