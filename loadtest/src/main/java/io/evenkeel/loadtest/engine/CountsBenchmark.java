package io.evenkeel.loadtest.engine;

import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanCompiler;
import io.evenkeel.engine.store.ClusterChanges;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import io.evenkeel.engine.store.GroupBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
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
 * Measures only the counting of pod events: a pod of a label class is added to or removed from the counts of a slot.
 * Each pod matches a zone group and a hostname group.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CountsBenchmark {
    static final int BATCH = 1024;

    private static final int EVENTS = 1 << 16;
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** Nodes and label classes, such as {@code 5000/300}. There is one workload per class. */
    @Param("5000/300")
    public String cluster = "";

    /** Unused here: the size of a workload makes no difference. */
    @Param("many")
    public String shape = "";

    private final int[] classOf = new int[EVENTS];
    private final int[] hostOf = new int[EVENTS];
    private final int[] slotOf = new int[EVENTS];
    private @Nullable ClusterStore store;
    private int next;
    private boolean in;

    @Setup(Level.Trial)
    public void prepare() {
        String[] size = cluster.split("/", -1);
        int nodes = Integer.parseInt(size[0]);
        int workloads = Integer.parseInt(size[1]);
        EngineOptions options = EngineOptions.defaults();
        ClusterStore filled = new ClusterStore(options.narrowUpTo(), options.tombstones());
        ClusterChanges changes = new ClusterChanges(filled);
        for (int i = 0; i < nodes; i++) {
            String name = "node-" + i;
            Map<String, String> labels = Map.of(ZONE, "zone-" + i % 3, HOSTNAME, name);
            changes.nodes.apply(Change.ADDED, new NodeObject(name, name, 0, labels, List.of(), false));
        }
        PlanCompiler compiler = new PlanCompiler(new ClusterView(filled), filled.index, filled.namespaces);
        GroupBuilder builder = new GroupBuilder(filled, Slices.PODS);
        List<Integer> classes = new ArrayList<>();
        for (int i = 0; i < workloads; i++) {
            classes.add(workload(filled, changes, compiler, builder, i));
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < EVENTS; i++) {
            classOf[i] = classes.get(random.nextInt(workloads));
            slotOf[i] = random.nextInt(nodes);
            hostOf[i] = filled.nodes.hostOf(slotOf[i]);
        }
        store = filled;
    }

    /** Creates the label class of a workload, with its groups. */
    private static int workload(
            ClusterStore filled, ClusterChanges changes, PlanCompiler compiler, GroupBuilder builder, int number) {
        Map<String, String> labels = Map.of("app", "app-" + number);
        String uid = "a-pod-of-" + number;
        changes.pods.apply(Change.ADDED, PodRecord.of(new PodObject("shop", uid, uid, 0, labels, "", false, false)));
        List<SpreadConstraint> constraints = new ArrayList<>();
        for (String key : List.of(ZONE, HOSTNAME)) {
            constraints.add(
                    new SpreadConstraint(1, key, true, PodSelector.ofLabels(labels), List.of(), 0, true, false));
        }
        IncomingPod pod = new IncomingPod("shop", labels, Map.of(), null, List.of(), constraints, null);
        for (SpreadGroup group : compiler.compile(pod, SpreadDefaults.NONE).groups()) {
            while (!builder.advance(group)) {
                // The builder works in slices.
            }
        }
        return filled.pods.labelClass(filled.pods.find(PodKey.ofUid(uid)));
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public boolean change() {
        int from = next;
        next = (from + BATCH) % EVENTS;
        if (from == 0) {
            in = !in;
        }
        SpreadIndex index = Objects.requireNonNull(store).index;
        for (int i = from; i < from + BATCH; i++) {
            index.podCounts(i, classOf[i], hostOf[i], slotOf[i], in);
        }
        return in;
    }
}
