package io.evenkeel.engine.pending;

import io.evenkeel.engine.answer.EntryPass;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.estimate.CountedPods;
import io.evenkeel.engine.estimate.HardConstraint;
import io.evenkeel.engine.estimate.NodeTemplate;
import io.evenkeel.engine.estimate.Nodes;
import io.evenkeel.engine.estimate.PodShape;
import io.evenkeel.engine.estimate.Problem;
import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a problem from a cluster. Called under the engine's lock, with valid plans. Used once.
 *
 * <pre>
 *   row     0 … existing − 1      existing + t
 *   is      an existing node      the example of template t
 * </pre>
 */
public final class ProblemReader {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** What a domain takes besides its rows: places in two lists, and its id. */
    private static final int DOMAIN_BYTES = 32;

    private final ClusterView cluster;
    private final List<PlannedPods> pods;
    private final List<NodeExample> templates;
    private final StopSignal stop;
    private final int[] slots;
    private final int existing;

    /** What the rows have of each resource, by its name, or by the port if it is a host port. */
    private final Map<Object, long[]> free = new LinkedHashMap<>();

    private final List<Map<Object, Long>> requests = new ArrayList<>();

    /** The topology keys, in the order of their numbers. */
    private final IdentityHashMap<Topology, Domains> keys = new IdentityHashMap<>();

    private final List<Domains> domains = new ArrayList<>();
    private final IdentityHashMap<Object, Integer> countedNumbers = new IdentityHashMap<>();
    private final List<CountedPods> counted = new ArrayList<>();

    /** About how many bytes the parts that were read so far take. */
    private long bytes;

    /** The domains of a topology key. */
    private static final class Domains {
        final int number;

        /** The domain of each row. */
        final int[] ofRow;

        /** For each domain, a node in it. */
        final List<String> members = new ArrayList<>();

        /** The topology's own id of each domain that an existing node is in. */
        final List<Integer> ids = new ArrayList<>();

        Domains(int number, int rows) {
            this.number = number;
            ofRow = new int[rows];
        }
    }

    /** @param stop checked often */
    public ProblemReader(ClusterView cluster, List<PlannedPods> pods, List<NodeExample> templates, StopSignal stop) {
        this.cluster = cluster;
        this.pods = pods;
        this.templates = templates;
        this.stop = stop;
        int[] examples = templates.stream()
                .mapToInt(template -> cluster.slotOfNode(template.node()))
                .toArray();
        BitSet old = BitSet.valueOf(cluster.knownSlots());
        for (int example : examples) {
            old.clear(example);
        }
        slots = IntStream.concat(old.stream(), Arrays.stream(examples)).toArray();
        existing = old.cardinality();
    }

    /**
     * Reads the problem.
     *
     * @param sets sets of nodes for which the numbers are wanted
     * @param templateDomainsCount see {@link Problem}
     */
    public PendingProblem read(List<NodeSubset> sets, boolean templateDomainsCount) {
        HostPorts ports = new HostPorts(cluster, slots);
        pods.forEach(each -> ports.add(each.plan().pod().requests().hostPorts()));
        ports.putFree(free, stop);
        take(columnBytes() * free.size());
        for (PlannedPods each : pods) {
            stop.check();
            requests.add(requests(each.plan(), ports));
        }
        List<PodShape> shapes = new ArrayList<>();
        List<List<PendingProblem.Constraint>> constraints = new ArrayList<>();
        for (int shape = 0; shape < pods.size(); shape++) {
            stop.check();
            PodPlan plan = pods.get(shape).plan();
            List<HardConstraint> hard = new ArrayList<>();
            List<PendingProblem.Constraint> named = new ArrayList<>();
            for (PlannedConstraint constraint : plan.hard) {
                Domains its = domains(constraint.domains().topology);
                hard.add(new HardConstraint(
                        counted(plan.pod(), constraint, its),
                        constraint.source().maxSkew(),
                        Math.max(1, constraint.source().minDomains()),
                        constraint.self() == 1));
                named.add(new PendingProblem.Constraint(
                        constraint.index(), constraint.source().topologyKey(), its.members));
            }
            take(setBytes());
            BitSet enterable = rows(slot -> EntryPass.reasonAt(slot, plan, cluster, EntryRules.FITTING) == null);
            shapes.add(new PodShape(
                    pods.get(shape).count(),
                    amounts(requests.get(shape)),
                    ofNodes(enterable),
                    ofTemplates(enterable),
                    hard));
            constraints.add(named);
        }
        // Made last, because the constraints have found the topology keys.
        List<NodeTemplate> newNodes = new ArrayList<>();
        for (int t = 0; t < templates.size(); t++) {
            int row = existing + t;
            newNodes.add(new NodeTemplate(
                    free.values().stream().mapToLong(column -> column[row]).toArray(),
                    domains.stream().mapToInt(its -> its.ofRow[row]).toArray(),
                    templates.get(t).max(),
                    templates.get(t).price()));
        }
        Problem problem =
                new Problem(free.size(), domains.size(), nodes(), newNodes, counted, shapes, templateDomainsCount);
        List<String> names = IntStream.range(0, existing)
                .mapToObj(row -> cluster.nameOfNode(slots[row]))
                .toList();
        return new PendingProblem(
                problem, names, sets.stream().map(this::numbers).toList(), constraints);
    }

    private Nodes nodes() {
        long[] all = new long[existing * free.size()];
        int resource = 0;
        for (long[] column : free.values()) {
            for (int row = 0; row < existing; row++) {
                all[row * free.size() + resource] = column[row];
            }
            resource++;
        }
        int[][] ofKeys =
                domains.stream().map(its -> Arrays.copyOf(its.ofRow, existing)).toArray(int[][]::new);
        return new Nodes(existing, all, ofKeys);
    }

    private BitSet numbers(NodeSubset set) {
        long[] chosen =
                set.isEvery() ? cluster.knownSlots() : cluster.resolve(set).slots();
        return ofNodes(rows(slot -> NodeBits.get(chosen, slot)));
    }

    // ---- memory

    /** Called before a part is made, so that a request that would take too much is rejected before it does. */
    private void take(long more) {
        bytes += more;
        Problem.requireRoom(bytes);
    }

    private long columnBytes() {
        return (long) Long.BYTES * slots.length;
    }

    private long setBytes() {
        return slots.length / Byte.SIZE;
    }

    // ---- resources

    private Map<Object, Long> requests(PodPlan plan, HostPorts ports) {
        Map<Object, Long> asked = new LinkedHashMap<>();
        NodeFit fit = plan.fit;
        fit.catchUp();
        for (int kind = 0; kind < fit.kinds(); kind++) {
            int its = kind;
            asked.put(fit.resource(kind), fit.asked(kind));
            free.computeIfAbsent(fit.resource(kind), resource -> {
                stop.check();
                take(columnBytes());
                return Arrays.stream(slots)
                        .mapToLong(slot -> fit.free(its, slot))
                        .toArray();
            });
        }
        ports.putRequests(plan.pod().requests().hostPorts(), asked);
        return asked;
    }

    private long[] amounts(Map<Object, Long> asked) {
        return free.keySet().stream()
                .mapToLong(resource -> asked.getOrDefault(resource, 0L))
                .toArray();
    }

    // ---- domains and counts

    private Domains domains(Topology topology) {
        Domains known = keys.get(topology);
        if (known != null) {
            return known;
        }
        take((long) Integer.BYTES * slots.length);
        Domains its = new Domains(domains.size(), slots.length);
        Map<Integer, Integer> numbers = new LinkedHashMap<>();
        for (int row = 0; row < slots.length; row++) {
            int id = topology.domainOf(slots[row]);
            if (id == Topology.NONE) {
                its.ofRow[row] = NodeTemplate.NO_DOMAIN;
            } else if (row >= existing && topology.key.equals(HOSTNAME)) {
                its.ofRow[row] = NodeTemplate.OWN_DOMAIN;
            } else {
                Integer number = numbers.putIfAbsent(id, numbers.size());
                its.ofRow[row] = number == null ? numbers.size() - 1 : number;
                if (number == null) {
                    its.members.add(cluster.nameOfNode(slots[row]));
                    if (row < existing) {
                        its.ids.add(id);
                    }
                }
            }
        }
        take((long) DOMAIN_BYTES * its.members.size());
        keys.put(topology, its);
        domains.add(its);
        return its;
    }

    /** The number of what a constraint counts. Constraints that share a group, or count nothing, share it. */
    private int counted(IncomingPod pod, PlannedConstraint constraint, Domains its) {
        Object identity = constraint.group() == null ? constraint.domains() : constraint.group();
        return countedNumbers.computeIfAbsent(identity, any -> {
            take((long) Integer.BYTES * its.ids.size() + setBytes());
            BitSet eligible = rows(constraint.domains().eligibility::holds);
            counted.add(new CountedPods(
                    its.number,
                    its.ids.stream()
                            .mapToInt(id -> constraint.group() == null
                                    ? 0
                                    : constraint.counts().get(id))
                            .toArray(),
                    ofNodes(eligible),
                    ofTemplates(eligible),
                    constraint.group() == null ? new BitSet() : matching(pod.namespace(), constraint.selector())));
            return counted.size() - 1;
        });
    }

    /** The entries of pods that a selector of a namespace matches. */
    private BitSet matching(String namespace, @Nullable PodSelector selector) {
        BitSet matching = new BitSet();
        for (int shape = 0; shape < pods.size(); shape++) {
            IncomingPod pod = pods.get(shape).plan().pod();
            matching.set(
                    shape, selector != null && pod.namespace().equals(namespace) && selector.matches(pod.labels()));
        }
        return matching;
    }

    // ---- sets of rows

    private BitSet rows(IntPredicate ofSlot) {
        BitSet rows = new BitSet();
        for (int row = 0; row < slots.length; row++) {
            rows.set(row, ofSlot.test(slots[row]));
        }
        return rows;
    }

    private BitSet ofNodes(BitSet rows) {
        return rows.get(0, existing);
    }

    private BitSet ofTemplates(BitSet rows) {
        return rows.get(existing, slots.length);
    }
}
