package io.evenkeel.loadtest.decisions;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.evenkeel.loadtest.cluster.FullCluster;
import io.evenkeel.loadtest.cluster.SkewedCluster;
import io.evenkeel.loadtest.local.ClusterFile;
import io.evenkeel.loadtest.local.GoProgram;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The Go programs that run the descheduler's plugin and that of kube-scheduler, on clusters from files. */
final class PeerPrograms {
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final Path sources;
    private final Path directory;
    private final PrintWriter out;

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

    /**
     * @param sources the directory {@code loadtest/peer}
     * @param directory for the programs and their files, which remain there
     */
    PeerPrograms(Path sources, Path directory, PrintWriter out) throws IOException {
        this.sources = sources;
        this.directory = Files.createDirectories(directory);
        this.out = out;
    }

    /** Runs the descheduler until it evicts nothing, or until it has run that many times. */
    Descheduled deschedule(SkewedCluster cluster, int runs) throws IOException, InterruptedException {
        Path file = directory.resolve("skewed.binpb");
        ClusterFile.write(cluster.objects(), file);
        return result("descheduler", Descheduled.class, file, "-runs", Integer.toString(runs));
    }

    /** Times the dry run of a preemption for the pending pod. */
    DryRun preempt(FullCluster cluster, int calls) throws IOException, InterruptedException {
        Path file = directory.resolve("full.binpb");
        ClusterFile.write(cluster.objectsAndPendingPod(), file);
        return result("preemption", DryRun.class, file, "-calls", Integer.toString(calls));
    }

    private <R> R result(String name, Class<R> type, Path cluster, String option, String value)
            throws IOException, InterruptedException {
        out.println(
                "Building loadtest/peer/" + name + "; the first build takes some minutes and downloads modules ...");
        out.flush();
        GoProgram program = new GoProgram(sources.resolve(name), directory.resolve(name));
        program.build();
        Path result = directory.resolve(name + ".json");
        Files.deleteIfExists(result);
        program.run(
                line -> {
                    out.println("  " + line);
                    out.flush();
                },
                "-cluster",
                cluster.toString(),
                "-result",
                result.toString(),
                option,
                value);
        return JSON.readValue(result.toFile(), type);
    }
}
