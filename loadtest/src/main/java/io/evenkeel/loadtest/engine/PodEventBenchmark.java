package io.evenkeel.loadtest.engine;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.loadtest.cluster.IncomingShape;
import io.evenkeel.loadtest.cluster.Workload;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Measures pod events in the whole store, {@value #BATCH} per write, from bytes that are already scanned. Every
 * workload has groups. Each pod matches a zone group and a hostname group.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PodEventBenchmark {
    static final int BATCH = 256;

    private static final int PODS = 1 << 16;

    /**
     * {@code addAndDelete}: all pods are added, then all are deleted. {@code relabel}: the value of a label that no
     * selector uses changes.
     */
    @Param({"addAndDelete", "relabel"})
    public String change = "";

    private final PodRecord[] pods = new PodRecord[PODS];
    private final PodRecord[] relabelled = new PodRecord[PODS];
    private @Nullable SpreadEngine engine;
    private long version = 1L << 40;
    private int next;
    private boolean second;

    @Setup(Level.Trial)
    public void prepare(BenchCluster cluster) {
        engine = cluster.local().engine();
        List<Workload> workloads = cluster.generator().workloads();
        workloads.forEach(workload -> cluster.local().plan(IncomingShape.HARD_ZONE_HARD_HOSTNAME.of(workload)));
        List<String> nodes = cluster.local().nodes();
        for (int i = 0; i < PODS; i++) {
            Workload workload = workloads.get(i % workloads.size());
            String node = nodes.get((int) (i * 7919L % nodes.size()));
            pods[i] = pod(i, workload, node, "blue");
            relabelled[i] = pod(i, workload, node, "green");
        }
        if (change.equals("relabel")) {
            for (int from = 0; from < PODS; from += BATCH) {
                apply(Change.ADDED, pods, from);
            }
        }
    }

    private static PodRecord pod(int number, Workload workload, String node, String colour) {
        Map<String, String> labels =
                new HashMap<>(workload.incomingPod().getMetadata().getLabelsMap());
        labels.put("colour", colour);
        return PodRecord.of(new PodObject(
                workload.namespace(),
                workload.name() + "-" + number,
                new UUID(number, number).toString(),
                0,
                labels,
                node,
                false,
                false));
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long change() {
        int from = next;
        next = (from + BATCH) % PODS;
        if (from == 0) {
            second = !second;
        }
        if (change.equals("relabel")) {
            return apply(Change.MODIFIED, second ? relabelled : pods, from);
        }
        return apply(second ? Change.ADDED : Change.DELETED, pods, from);
    }

    private long apply(Change kind, PodRecord[] of, int from) {
        List<PodRecord> coming = Arrays.asList(of).subList(from, from + BATCH);
        return Objects.requireNonNull(engine).write(writer -> {
            writer.expect(coming);
            for (int i = from; i < from + BATCH; i++) {
                of[i].setResourceVersion(++version);
                writer.apply(kind, of[i]);
            }
        });
    }
}
