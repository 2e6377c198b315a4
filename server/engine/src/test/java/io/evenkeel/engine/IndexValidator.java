package io.evenkeel.engine;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodColumns;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.index.CountHistogram;
import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.index.NodePart;
import io.evenkeel.engine.index.NodePredicate;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.labels.LabelBase;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Selector;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.Uid;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.validator.ResourceValidator;
import io.evenkeel.engine.validator.UseValidator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Recounts the whole index from the stored objects, and compares the results. It is written to be simple, and shares no
 * arithmetic with the code that it checks.
 */
public final class IndexValidator {
    private final ClusterStore store;
    private final NodeSlots nodes;
    private final PodTable pods;
    private final LabelClasses classes;
    private final boolean forked;

    public IndexValidator(ClusterStore store) {
        this(store, false);
    }

    private IndexValidator(ClusterStore store, boolean forked) {
        this.forked = forked;
        this.store = store;
        this.nodes = store.nodes;
        this.pods = store.pods;
        this.classes = store.classes;
    }

    /**
     * Recounts everything that an engine holds: every group's counts, minimum and eligible domains, every list and
     * membership, and all uses of what is shared.
     *
     * @throws IllegalStateException if something differs; it names the first difference
     */
    public static void validate(SpreadEngine engine) {
        engine.plans.whileStill(() -> new IndexValidator(engine.store).validate(engine.plans.all()));
    }

    /** The same for a fork, in which texts keep the uses that the plans of the original had. */
    public static void validateFork(SpreadEngine engine) {
        engine.plans.whileStill(() -> new IndexValidator(engine.store, true).validate(engine.plans.all()));
    }

    /**
     * Same as {@link #validate()}, and also checks the users of shared parts.
     *
     * @param plans all plans that use parts; null if they are not known
     */
    public void validate(@Nullable Collection<PodPlan> plans) {
        validate();
        if (plans != null) {
            new UseValidator(store, forked).validateUsers(plans);
        }
    }

    public void validate() {
        new UseValidator(store, forked).validate();
        validatePods();
        validateBudgets();
        validateClasses();
        new ResourceValidator(store).validate();
        store.index.topologies().forEach(topology -> whereBuilt(topology, this::validate));
        store.index.predicates().forEach(predicate -> whereBuilt(predicate, this::validate));
        store.index.eligibilities().forEach(eligibility -> whereBuilt(eligibility, this::validate));
        store.index.eligibleDomains().forEach(this::validate);
        store.index.groups().forEach(this::validate);
        store.index.joints().forEach(this::validate);
    }

    private void validateBudgets() {
        int named = 0;
        for (Iterator<DisruptionBudget> byName = store.budgets.of(ObjectKind.POD_DISRUPTION_BUDGET);
                byName.hasNext();
                named++) {
            DisruptionBudget budget = byName.next();
            expect(store.budgets.find(budget.uid()), budget, "budget found by UID " + budget.uid());
            expect(store.budgets.namesake(budget), budget, "budget found by name " + budget.name());
        }
        expect(store.budgets.size(), named, "budgets");
        expect(store.budgets.all().size(), named, "all budgets");
    }

    private void validatePods() {
        expect(store.podColumns.wrong(), PodColumns.NONE, "the pod whose columns differ from its row");
        int live = 0;
        int counted = 0;
        int onUnknownNodes = 0;
        Map<Integer, Integer> onHost = new HashMap<>();
        Map<Integer, Integer> inClass = new HashMap<>();
        for (int pod = 0; pod < pods.limit(); pod++) {
            if (pods.isLive(pod)) {
                live++;
                counted += store.slotCountedOn(pod) != NodeSlots.NONE ? 1 : 0;
                int host = pods.host(pod);
                onUnknownNodes += host != PodTable.NONE && store.hosts.slot(host) == NodeSlots.NONE ? 1 : 0;
                inClass.merge(pods.labelClass(pod), 1, Integer::sum);
                if (pods.host(pod) != PodTable.NONE) {
                    onHost.merge(pods.host(pod), 1, Integer::sum);
                }
                expect(pods.find(Uid.of(pods.uid(pod))), pod, "pod found by UID " + pods.uid(pod));
                expect(isFoundByName(pod), true, "pod found by name " + pods.name(pod));
            }
        }
        expect(pods.size(), live, "pods");
        validateDeletedPods();
        expect(store.countedPods(), counted, "counted pods");
        expect(store.podsOnUnknownNodes(), onUnknownNodes, "pods on unknown nodes");
        onHost.forEach((host, size) -> {
            int listed = 0;
            for (int pod = store.podsOnHost.first(host); pod != PodList.NONE; pod = store.podsOnHost.next(pod)) {
                expect(pods.host(pod), host, "host of a pod listed on " + store.hosts.name(host));
                listed++;
            }
            expect(listed, size, "pods listed on " + store.hosts.name(host));
        });
        inClass.forEach((labelClass, size) -> {
            int listed = 0;
            for (int pod = store.podsInClass.first(labelClass);
                    pod != PodList.NONE;
                    pod = store.podsInClass.next(pod)) {
                expect(pods.labelClass(pod), labelClass, "class of a pod listed in class " + labelClass);
                listed++;
            }
            expect(listed, size, "pods listed in class " + labelClass);
            expect(classes.pods(labelClass), size, "pods that class " + labelClass + " has counted");
        });
        expect(classes.size(), inClass.size(), "label classes");
        expect(store.index.bytes(), store.index.addUpBytes(), "bytes of all parts");
    }

    private void validateDeletedPods() {
        pods.forEachGoing(pod -> expect(pods.is(pod, PodTable.TERMINATING), true, "a pod that is going terminates"));
        pods.forEachPreempted(pod -> expect(pods.is(pod, PodTable.TERMINATING), true, "a preempted pod terminates"));
        int deleted = 0;
        for (int row = store.deletedPods.oldest(); row != PodTable.NONE; row = store.deletedPods.younger(row)) {
            expect(pods.isLive(row), false, "a deleted pod is live");
            expect(pods.locate(Uid.of(pods.uid(row))), row, "row of deleted UID " + pods.uid(row));
            deleted++;
        }
        expect(store.deletedPods.size(), deleted, "deleted pods");
        expect(pods.rows(), pods.size() + deleted, "rows with a UID");
    }

    private boolean isFoundByName(int pod) {
        Namespace namespace = classes.namespaceOf(pods.labelClass(pod));
        List<Integer> found = new ArrayList<>();
        pods.findByName(namespace, pods.name(pod).getBytes(StandardCharsets.UTF_8), found);
        return found.contains(pod);
    }

    private void validateClasses() {
        int live = 0;
        IdentityHashMap<LabelBase, Integer> restOn = new IdentityHashMap<>();
        IdentityHashMap<Namespace, List<Selector>> selectors = new IdentityHashMap<>();
        store.index.forEachSelector((namespace, selector) ->
                selectors.computeIfAbsent(namespace, none -> new ArrayList<>()).add(selector));
        for (Namespace namespace : store.namespaces.all()) {
            expect(store.namespaces.find(namespace.name), namespace, "namespace " + namespace.name);
            for (int position = 0; position < namespace.classes().limit(); position++) {
                int labelClass = namespace.classes().at(position);
                if (labelClass != LabelClasses.NONE) {
                    expect(classes.position(labelClass), position, "position of class " + labelClass);
                    expect(classes.namespaceOf(labelClass), namespace, "namespace of class " + labelClass);
                    validateMatches(labelClass, selectors.getOrDefault(namespace, List.of()));
                    restOn.merge(classes.base(labelClass), 1, Integer::sum);
                    live++;
                }
            }
        }
        restOn.forEach((base, uses) -> expect(classes.users(base), uses, "classes of base " + base.id));
        expect(classes.bases(), restOn.size(), "bases");
        expect(classes.size(), live, "label classes");
    }

    /** @param selectors the selectors of the namespace of the class */
    private void validateMatches(int labelClass, List<Selector> selectors) {
        int matching = 0;
        for (Selector selector : selectors) {
            boolean matches = classes.isMatched(labelClass, selector.requirements);
            boolean listed = Arrays.asList(classes.matches(labelClass)).contains(selector);
            if (listed || isReached(classes.position(labelClass), selector)) {
                expect(listed, matches, "class " + labelClass + " matched by " + selector.source);
            }
            matching += listed ? 1 : 0;
        }
        expect(classes.matches(labelClass).length, matching, "selectors of class " + labelClass);
    }

    /**
     * Whether a group of the selector counts pods of the class by events. Before that, the class need not know the
     * selector.
     */
    private static boolean isReached(int position, Selector selector) {
        return Arrays.stream(selector.counters()).anyMatch(counter -> counter.covers(position, 0));
    }

    private static <P extends NodePart> void whereBuilt(P part, Consumer<P> validation) {
        if (part.isBuilt()) {
            validation.accept(part);
        }
    }

    private void validate(Topology topology) {
        Map<Object, Integer> domainOfValue = new HashMap<>();
        for (int slot = 0; slot < nodes.capacity(); slot++) {
            Object value = valueOf(topology, slot);
            boolean carries = nodes.isKnown(slot)
                    && (topology.kind == Topology.Kind.NODE || label(topology, slot) != StringTable.NONE);
            expect(NodeBits.get(topology.carriers(), slot), carries, "slot " + slot + " carries " + topology.key);
            expect(
                    topology.domainOf(slot) != Topology.NONE,
                    value != null,
                    "slot " + slot + " is in a domain of " + topology.key);
            if (value != null) {
                int domain = topology.domainOf(slot);
                expect(
                        domainOfValue.computeIfAbsent(value, key -> domain),
                        domain,
                        "domain of slot " + slot + " by " + topology.key);
                expect(topology.isDomain(domain), true, "domain " + domain + " of " + topology.key);
                expect(topology.isWide() || isListed(topology, domain, slot), true, "slot " + slot + " in its domain");
                boolean follows =
                        IntStream.of(topology.followers()).boxed().toList().contains(slot);
                expect(follows, topology.isWide() && domain != slot, "slot " + slot + " follows");
            }
        }
        expect(
                topology.carrierCount(),
                NodeBits.cardinality(topology.carriers(), topology.carriers().length),
                "carriers of " + topology.key);
        expect(topology.domains(), domainOfValue.size(), "domains of " + topology.key);
        expect(
                domainOfValue.values().stream().distinct().count(),
                (long) domainOfValue.size(),
                "distinct domains of " + topology.key);
    }

    private boolean isListed(Topology topology, int domain, int slot) {
        long[] alone = new long[NodeBits.words(nodes.capacity())];
        NodeBits.set(alone, slot);
        return topology.isAmong(domain, alone, alone.length);
    }

    /** The name of a slot's domain: the slot itself, or a value id; null if it is in no domain. */
    private @Nullable Object valueOf(Topology topology, int slot) {
        if (!nodes.isKnown(slot)) {
            return null;
        }
        int value = label(topology, slot);
        return switch (topology.kind) {
            case NODE -> slot;
            case LABEL -> value == StringTable.NONE ? null : store.strings.get(value);
            case LABEL_OR_EMPTY -> value == StringTable.NONE ? "" : store.strings.get(value);
        };
    }

    private int label(Topology topology, int slot) {
        return LabelIds.valueOf(nodes.attributes(slot).labels(), topology.keyId);
    }

    private void validate(NodePredicate predicate) {
        for (int slot = 0; slot < nodes.capacity(); slot++) {
            boolean holds = nodes.isKnown(slot) && predicate.test(nodes.attributes(slot));
            expect(
                    predicate.holds(slot),
                    holds,
                    "slot " + slot + " meets " + predicate.getClass().getSimpleName());
        }
    }

    private void validate(Eligibility eligibility) {
        int eligible = 0;
        for (int slot = 0; slot < nodes.capacity(); slot++) {
            boolean holds = nodes.isKnown(slot);
            for (Topology topology : eligibility.topologies) {
                holds = holds && label(topology, slot) != StringTable.NONE;
            }
            for (NodePredicate predicate : eligibility.predicates) {
                holds = holds && predicate.test(nodes.attributes(slot));
            }
            expect(eligibility.holds(slot), holds, "slot " + slot + " is eligible by " + eligibility.key);
            eligible += holds ? 1 : 0;
        }
        expect(eligibility.nodes(), eligible, "eligible nodes by " + eligibility.key);
    }

    private void validate(EligibleDomains domains) {
        Map<Integer, Integer> nodesIn = new HashMap<>();
        for (int slot = 0; slot < nodes.capacity(); slot++) {
            if (domains.eligibility.holds(slot)) {
                nodesIn.merge(domains.topology.domainOf(slot), 1, Integer::sum);
            }
        }
        expect(nodesIn.containsKey(Topology.NONE), false, "eligible nodes without a domain of " + domains.topology.key);
        nodesIn.forEach((domain, size) -> expect(domains.nodesIn(domain), size, "eligible nodes in domain " + domain));
        expect(domains.domains(), nodesIn.size(), "eligible domains of " + domains.topology.key);
    }

    private void validate(SpreadGroup group) {
        String name = group.selector.source + " over " + group.topology().key;
        int[] counts = group.tallies() ? new int[group.topology().domainLimit()] : recount(group);
        if (group.tallies()) {
            validateTally(group, name);
        }
        for (int domain = 0; domain < counts.length; domain++) {
            if (group.counts().get(domain) != counts[domain]) {
                expect(group.counts().get(domain), counts[domain], "count of domain " + domain + " for " + name);
            }
        }
        BitSet eligible = new BitSet();
        for (int slot = 0; slot < nodes.capacity(); slot++) {
            if (group.domains.eligibility.holds(slot)) {
                eligible.set(group.topology().domainOf(slot));
            }
        }
        int[] held = eligible.stream().map(domain -> counts[domain]).toArray();
        validate(group.histogram(), held, "domains for " + name);
    }

    private void validateTally(SpreadGroup group, String name) {
        int[] tally = group.tally(store.hosts.limit());
        int[] byHost = new int[tally.length];
        forEachCovered(group, pod -> {
            if (pods.host(pod) != PodTable.NONE && pods.counts(pod)) {
                byHost[pods.host(pod)]++;
            }
        });
        for (int host = 0; host < tally.length; host++) {
            if (tally[host] != byHost[host]) {
                expect(tally[host], byHost[host], "tally of host " + host + " for " + name);
            }
        }
    }

    /** The count of each domain. */
    private int[] recount(SpreadGroup group) {
        int[] counts = new int[group.topology().domainLimit()];
        forEachCovered(group, pod -> {
            int slot = store.slotCountedOn(pod);
            if (slot != NodeSlots.NONE && group.domains.eligibility.holds(slot)) {
                counts[group.topology().domainOf(slot)]++;
            }
        });
        return counts;
    }

    /**
     * Calls {@code work} with the pods that the group counts by events. They are found by the classes that the selector
     * matches and their lists of pods, which {@link #validatePods} has checked.
     */
    private void forEachCovered(SpreadGroup group, IntConsumer work) {
        Namespace namespace = group.namespace;
        for (int position = 0; position < namespace.classes().limit(); position++) {
            int labelClass = namespace.classes().at(position);
            if (labelClass != LabelClasses.NONE && classes.isMatched(labelClass, group.selector.requirements)) {
                for (int pod = store.podsInClass.first(labelClass);
                        pod != PodList.NONE;
                        pod = store.podsInClass.next(pod)) {
                    if (group.covers(position, pod)) {
                        work.accept(pod);
                    }
                }
            }
        }
    }

    /** @param held the counts that it must contain, in no particular order */
    private static void validate(CountHistogram histogram, int[] held, String what) {
        int[] at = new int[histogram.limit()];
        for (int count : held) {
            if (count >= at.length) {
                expect(null, count, what);
            }
            at[count]++;
        }
        for (int count = 0; count < at.length; count++) {
            expect(histogram.domainsAt(count), at[count], what + " at " + count);
        }
        expect(histogram.domains(), held.length, what);
        expect(histogram.minimum(), Arrays.stream(held).min().orElse(0), "minimum of " + what);
        int met = 0;
        for (int count = histogram.nextHeld(0); count != CountHistogram.NONE; count = histogram.nextHeld(count + 1)) {
            met += histogram.domainsAt(count);
        }
        expect(met, held.length, what + " that a walk meets");
    }

    private void validate(JointHistogram joint) {
        if (!joint.holds()) {
            return;
        }
        String name = joint.group.selector.source + " by node and " + joint.topology.key;
        int domains = joint.topology.domainLimit();
        IntStream.Builder[] held = new IntStream.Builder[domains];
        Arrays.setAll(held, domain -> IntStream.builder());
        for (int slot = 0; slot < nodes.capacity(); slot++) {
            int domain = joint.topology.domainOf(slot);
            if (domain != Topology.NONE) {
                int count = joint.group.counts().get(slot);
                held[domain].add(count);
                if (slot < joint.first(domain) && count == joint.nodesAt(domain).minimum()) {
                    expect(slot, joint.first(domain), "first slot with its domain's least count for " + name);
                }
            }
        }
        for (int domain = 0; domain < domains; domain++) {
            validate(
                    joint.nodesAt(domain),
                    held[domain].build().toArray(),
                    "nodes of domain " + domain + " for " + name);
        }
    }

    private static void expect(@Nullable Object maintained, @Nullable Object recounted, String what) {
        if (!Objects.equals(maintained, recounted)) {
            throw new IllegalStateException(what + ": maintained " + maintained + ", recounted " + recounted);
        }
    }
}
