package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeResources;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.RequestTable;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.PodCounter;
import io.evenkeel.engine.labels.Selector;
import io.evenkeel.engine.memory.IndexPart;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.PartBytes;
import io.evenkeel.engine.memory.SharedParts;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.TaintToleration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The registry of all parts of the index: topologies, conditions on nodes, fits, eligibilities, eligible domains,
 * selectors, spread groups and joint histograms. Plans that need the same part share it ({@link SharedParts}). Parts
 * are updated as pods and nodes change.
 *
 * <pre>
 *   JointHistogram → Topology, SpreadGroup                 → uses; a joint histogram has no counted use of these
 *   SpreadGroup → Selector, EligibleDomains
 *   EligibleDomains → Topology, Eligibility
 *   Eligibility → Topology, NodePredicate
 * </pre>
 *
 * A part has a counted use of each part that it needs, and releases it when it is removed. The engine's one writer
 * writes; readers hold the engine's lock. {@link NodeChange} applies changes of nodes.
 */
public final class SpreadIndex {
    private record TopologyKey(Topology.Kind kind, String key) {
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(kind.ordinal(), key);
        }
    }

    /** The hash of the list itself is not keyed, although those of its elements are. */
    private record ToleratedKey(List<TaintToleration> tolerations) implements ConditionKey {
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(tolerations);
        }
    }

    private record SchedulableKey(boolean toleratesCordon) implements ConditionKey {}

    private record SelectorKey(Namespace namespace, PodSelector source) {
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(namespace.id, source);
        }
    }

    private final StringTable strings;
    private final NodeSlots nodes;
    private final LabelClasses classes;
    private final NodeResources resources;
    private final RequestTable requests;
    private final int emptyId;
    private final int narrowUpTo;
    private final PartBytes bytes = new PartBytes();

    private final SharedParts<TopologyKey, Topology> topologies = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<ConditionKey, NodePredicate> predicates = new SharedParts<>(bytes, (key, gone) -> {});
    private final SharedParts<Eligibility.Key, Eligibility> eligibilities = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<EligibleDomains.Key, EligibleDomains> eligibleDomains =
            new SharedParts<>(bytes, this::dropped);
    private final SharedParts<SelectorKey, Selector> selectors = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<SpreadGroup.Key, SpreadGroup> groups = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<JointHistogram.Key, JointHistogram> joints = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<PodRequests, NodeFit> fits = new SharedParts<>(bytes, (key, gone) -> {});
    private long nodeMoves;

    /** The capacity for which the bytes of fits were last counted. */
    private int accountedCapacity;

    public SpreadIndex(
            StringTable strings,
            NodeSlots nodes,
            LabelClasses classes,
            NodeResources resources,
            RequestTable requests,
            int narrowUpTo) {
        this.strings = strings;
        this.nodes = nodes;
        this.classes = classes;
        this.resources = resources;
        this.requests = requests;
        this.narrowUpTo = narrowUpTo;
        this.emptyId = strings.acquire("");
    }

    /** The id of the empty text, which is always in use. */
    public int emptyText() {
        return emptyId;
    }

    public List<Topology> topologies() {
        return topologies.all();
    }

    public List<NodePredicate> predicates() {
        return predicates.all();
    }

    /** The predicates of affinities, and those that eligibilities honour. */
    public Set<NodePredicate> conditions() {
        Set<NodePredicate> conditions = Collections.newSetFromMap(new IdentityHashMap<>());
        for (NodePredicate predicate : predicates()) {
            if (predicate instanceof NodePredicate.Affine) {
                conditions.add(predicate);
            }
        }
        for (Eligibility eligibility : eligibilities()) {
            Collections.addAll(conditions, eligibility.predicates);
        }
        return conditions;
    }

    public List<Eligibility> eligibilities() {
        return eligibilities.all();
    }

    public List<EligibleDomains> eligibleDomains() {
        return eligibleDomains.all();
    }

    public List<Selector> selectors() {
        return selectors.all();
    }

    /** For validation: calls {@code visitor} with each selector and its namespace. */
    public void forEachSelector(BiConsumer<Namespace, Selector> visitor) {
        selectors.forEach((key, selector) -> visitor.accept(key.namespace, selector));
    }

    public List<SpreadGroup> groups() {
        return groups.all();
    }

    public List<JointHistogram> joints() {
        return joints.all();
    }

    /** Increases with every change of a node that affects any part. */
    public long nodeMoves() {
        return nodeMoves;
    }

    /** Roughly how many bytes all parts take. The sum is kept up to date. */
    public long bytes() {
        return bytes.total();
    }

    /** For validation: the same sum, added up again. */
    public long addUpBytes() {
        return Stream.of(topologies, predicates, eligibilities, eligibleDomains, selectors, groups, joints, fits)
                .mapToLong(SharedParts::addUpBytes)
                .sum();
    }

    /** Updates the sum with the present size of a part. */
    public void account(IndexPart part) {
        bytes.account(part);
    }

    // ---- events

    /**
     * Counts a pod of a class on a host in or out, in all groups that match.
     *
     * @param slot the slot of the host's node, or NONE if the node is not known
     */
    public void podCounts(int pod, int labelClass, int host, int slot, boolean in) {
        int position = classes.position(labelClass);
        for (Selector selector : classes.matches(labelClass)) {
            for (PodCounter counter : selector.counters()) {
                if (counter.covers(position, pod)) {
                    counter.shift(host, slot, in);
                }
            }
        }
    }

    /** Called when a change of a node affects any part. */
    void countNodeMove() {
        nodeMoves++;
    }

    /** Makes room for {@code capacity} slots in all parts. */
    public void growTo(int capacity) {
        for (SharedParts<?, ? extends NodePart> parts : List.of(topologies, predicates, eligibilities)) {
            parts.all().forEach(part -> part.growTo(capacity));
            parts.account();
        }
        if (capacity != accountedCapacity) {
            accountedCapacity = capacity;
            fits.account();
        }
    }

    /**
     * Builds the next slice of a part, and of the parts that it uses; returns whether it is built. The caller must have
     * a use of the part.
     */
    public boolean build(NodePart part, BooleanSupplier isTimeUp) {
        return part.build(nodes, isTimeUp);
    }

    // ---- acquiring and releasing parts

    /** Acquires a topology. A new one must still be built, like all parts over nodes. */
    public Topology acquireTopology(Topology.Kind kind, String key) {
        return topologies.acquire(
                new TopologyKey(kind, key),
                fresh -> sized(new Topology(kind, key, strings.acquire(key), emptyId, narrowUpTo)));
    }

    public void release(Topology topology) {
        topologies.release(topology);
    }

    private void dropped(TopologyKey key, Topology topology) {
        strings.release(topology.keyId);
    }

    /** Creates a predicate for a pod's affinity, which is not shared yet. Needs no lock. */
    public NodePredicate.Affine affine(Map<String, String> nodeSelector, @Nullable List<NodeTerm> terms) {
        return new NodePredicate.Affine(new AffinityMatcher(nodeSelector, terms, strings));
    }

    /**
     * Acquires the predicate for a node selector and required affinity.
     *
     * @param fresh the predicate to use if there is none for the key yet
     */
    public NodePredicate acquireAffinity(AffinityKey key, NodePredicate.Affine fresh) {
        return predicates.acquire(key, none -> sized(fresh));
    }

    public NodePredicate acquireTolerated(List<TaintToleration> tolerations) {
        return predicates.acquire(
                new ToleratedKey(tolerations), fresh -> sized(new NodePredicate.Tolerated(tolerations)));
    }

    public NodePredicate acquireSchedulable(List<TaintToleration> tolerations) {
        boolean tolerates = NodePredicate.Schedulable.toleratesCordon(tolerations);
        return predicates.acquire(
                new SchedulableKey(tolerates), fresh -> sized(new NodePredicate.Schedulable(tolerates)));
    }

    /** Acquires the nodes on which pods with these requests fit. */
    public NodeFit acquireFit(PodRequests asked) {
        return fits.acquire(asked, fresh -> new NodeFit(asked, nodes, resources, requests));
    }

    public void release(NodeFit fit) {
        fits.release(fit);
    }

    public List<NodeFit> fits() {
        return fits.all();
    }

    public void release(NodePredicate predicate) {
        predicates.release(predicate);
    }

    /** Acquires an eligibility. A new one must be built after its {@link Eligibility#parts}. */
    public Eligibility acquireEligibility(Eligibility.Key key) {
        return eligibilities.acquire(key, fresh -> {
            Topology[] carried = key.keys().stream()
                    .map(each -> acquireTopology(Topology.Kind.LABEL, each))
                    .toArray(Topology[]::new);
            List<NodePredicate> conditions = new ArrayList<>();
            AffinityKey affinity = key.affinity();
            if (!affinity.isTrivial()) {
                conditions.add(predicates.acquire(
                        affinity,
                        none -> sized(new NodePredicate.Affine(
                                new AffinityMatcher(affinity.nodeSelector, affinity.terms, strings)))));
            }
            if (key.tolerations() != null) {
                conditions.add(acquireTolerated(key.tolerations()));
            }
            return sized(new Eligibility(key, carried, conditions.toArray(NodePredicate[]::new)));
        });
    }

    public void release(Eligibility eligibility) {
        eligibilities.release(eligibility);
    }

    private void dropped(Eligibility.Key key, Eligibility eligibility) {
        Arrays.stream(eligibility.topologies).forEach(this::release);
        Arrays.stream(eligibility.predicates).forEach(this::release);
    }

    /** Acquires the eligible domains of a topology under an eligibility. Both must be built. */
    public EligibleDomains acquireDomains(Topology topology, Eligibility eligibility) {
        return eligibleDomains.acquire(new EligibleDomains.Key(topology, eligibility), fresh -> {
            topology.retain();
            eligibility.retain();
            return new EligibleDomains(topology, eligibility);
        });
    }

    public void release(EligibleDomains domains) {
        eligibleDomains.release(domains);
    }

    private void dropped(EligibleDomains.Key key, EligibleDomains domains) {
        release(domains.topology);
        release(domains.eligibility);
    }

    /**
     * Acquires the group for a selector over eligible domains. A new one must still be built.
     *
     * @throws CapacityException if there is no room for a text of the selector; nothing is changed
     */
    public SpreadGroup acquireGroup(Namespace namespace, PodSelector labelSelector, EligibleDomains domains) {
        Selector selector = selectors.acquire(new SelectorKey(namespace, labelSelector), fresh -> {
            Selector made = new Selector(namespace.nextSelectorId(), labelSelector, strings);
            namespace.add(made);
            return made;
        });
        SpreadGroup group = groups.acquire(new SpreadGroup.Key(selector, domains), fresh -> {
            SpreadGroup made = new SpreadGroup(namespace, selector, domains);
            selector.retain();
            selector.add(made);
            domains.retain();
            domains.add(made);
            namespace.classes().buildBegins();
            return made;
        });
        selectors.release(selector);
        return group;
    }

    public void release(SpreadGroup group) {
        groups.release(group);
    }

    private void dropped(SpreadGroup.Key key, SpreadGroup group) {
        if (!group.isBuilt()) {
            group.namespace.classes().buildEnds();
        }
        group.selector.remove(group);
        selectors.release(group.selector);
        group.domains.remove(group);
        release(group.domains);
    }

    private void dropped(SelectorKey key, Selector selector) {
        key.namespace.remove(selector);
        classes.removeMatches(key.namespace, selector);
        selector.requirements.release(strings);
    }

    /** Acquires the joint histogram of a topology and a group over {@link Topology.Kind#NODE}. */
    public JointHistogram acquireJoint(Topology topology, SpreadGroup group) {
        return joints.acquire(new JointHistogram.Key(topology, group), fresh -> {
            JointHistogram made = new JointHistogram(topology, group);
            group.add(made);
            return made;
        });
    }

    /** Releases a joint histogram. This must come before the release of its topology and its group. */
    public void release(JointHistogram joint) {
        joints.release(joint);
    }

    private void dropped(JointHistogram.Key key, JointHistogram joint) {
        joint.group.remove(joint);
    }

    private <P extends NodePart> P sized(P part) {
        part.growTo(nodes.capacity());
        return part;
    }
}
