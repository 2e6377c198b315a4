package io.evenkeel.loadtest.engine;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.NodeTableTokens;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.placement.query.PodCache;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.v1.Pod;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Measures the path from the bytes of a pod to its compiled plan, after a replica of the pod was already asked about.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PodBytesBenchmark {
    private static final int REPLICAS = 1024;

    /** The name of the pod's {@link Spread}. */
    @Param({"HARD_ZONE_HARD_HOSTNAME", "SOFT_ZONE_SOFT_HOSTNAME", "FIVE_CONSTRAINTS"})
    public String pod = "";

    /** The approximate size of a pod, in bytes. */
    @Param({"1000", "2500"})
    public int bytes;

    private final byte[][] replicas = new byte[REPLICAS][];
    private @Nullable PodPlans plans;
    private int next;

    @Setup(Level.Trial)
    public void prepare(BenchCluster cluster) throws InvalidProtocolBufferException, InvalidObjectException {
        Limits limits = InstanceOptions.standard().limits();
        RequestReader reader = new RequestReader(
                limits,
                new NodeSets(limits),
                new NodeTableTokens(),
                InstanceOptions.standard().defaults());
        plans = new PodPlans(cluster.local().engine(), reader, limits, new PodCache(REPLICAS, Long.MAX_VALUE));
        Pod incoming = Replicas.ofSize(cluster.pod(pod), bytes);
        for (int i = 0; i < REPLICAS; i++) {
            replicas[i] = Replicas.of(incoming, i).toByteArray();
        }
        plans.warm(incoming, null);
        plan();
        if (plans.parsed() != 1) {
            throw new IllegalStateException("the first pod was not parsed");
        }
        plan();
        if (plans.parsed() != 1) {
            throw new IllegalStateException("a replica was parsed");
        }
    }

    @Benchmark
    public PodPlan plan() throws InvalidProtocolBufferException, InvalidObjectException {
        byte[] replica = replicas[next];
        next = (next + 1) % REPLICAS;
        PodPlans from = Objects.requireNonNull(plans);
        PodPlans.Wanted wanted = from.read(from.ask(new WireCursor(replica, 0, replica.length)), null);
        if (!wanted.isThere()) {
            throw new IllegalStateException("the plan was dropped");
        }
        return wanted.plan();
    }
}
