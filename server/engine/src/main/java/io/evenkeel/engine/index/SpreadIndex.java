package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeTable;
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
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.TaintToleration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is counted, for whom: topologies, conditions on nodes, eligibilities, eligible domains, selectors, spread groups
 * and joint histograms, each shared by all who need the same ({@link SharedParts}), and kept as pods and nodes come and
 * go.
 *
 * <pre>
 *   JointHistogram → Topology, SpreadGroup                 → rests on; a joint histogram has no use of its own of them
 *   SpreadGroup → Selector, EligibleDomains
 *   EligibleDomains → Topology, Eligibility
 *   Eligibility → Topology, NodePredicate
 * </pre>
 *
 * A part has a use of each part that it rests on, and releases it when it goes. Written by the engine's one writer;
 * read under its lock. Changes of nodes are {@link NodeChange}'s.
 */
public final class SpreadIndex {
    private record TopologyKey(Topology.Kind kind, String key) {
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(kind.ordinal(), key);
        }
    }

    /** A list's own hash is not keyed, whatever its elements' are. */
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
    private final NodeTable nodes;
    private final LabelClasses classes;
    private final int emptyId;
    private final int wideFrom;
    private final PartBytes bytes = new PartBytes();

    private final SharedParts<TopologyKey, Topology> topologies = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<ConditionKey, NodePredicate> predicates = new SharedParts<>(bytes, (key, gone) -> {});
    private final SharedParts<Eligibility.Key, Eligibility> eligibilities = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<EligibleDomains.Key, EligibleDomains> eligibleDomains =
            new SharedParts<>(bytes, this::dropped);
    private final SharedParts<SelectorKey, Selector> selectors = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<SpreadGroup.Key, SpreadGroup> groups = new SharedParts<>(bytes, this::dropped);
    private final SharedParts<JointHistogram.Key, JointHistogram> joints = new SharedParts<>(bytes, this::dropped);
    private long nodeMoves;

    public SpreadIndex(StringTable strings, NodeTable nodes, LabelClasses classes, int wideFrom) {
        this.strings = strings;
        this.nodes = nodes;
        this.classes = classes;
        this.wideFrom = wideFrom;
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

    public List<Eligibility> eligibilities() {
        return eligibilities.all();
    }

    public List<EligibleDomains> eligibleDomains() {
        return eligibleDomains.all();
    }

    public List<Selector> selectors() {
        return selectors.all();
    }

    /** Tells {@code visitor} of each selector and its namespace. */
    public void forEachSelector(BiConsumer<Namespace, Selector> visitor) {
        selectors.forEach((key, selector) -> visitor.accept(key.namespace, selector));
    }

    public List<SpreadGroup> groups() {
        return groups.all();
    }

    public List<JointHistogram> joints() {
        return joints.all();
    }

    /** Grows with every change of a node that moves anything here. */
    public long nodeMoves() {
        return nodeMoves;
    }

    /** About how many bytes all parts take; a sum that is kept. */
    public long bytes() {
        return bytes.total();
    }

    /** The same, added up anew. */
    public long addUpBytes() {
        return Stream.of(topologies, predicates, eligibilities, eligibleDomains, selectors, groups, joints)
                .mapToLong(SharedParts::addUpBytes)
                .sum();
    }

    /** Counts in what a part takes now, in place of what it took when it was last counted. */
    public void account(IndexPart part) {
        bytes.account(part);
    }

    // ---- events

    /**
     * A pod of a class counts on a host from now on, or no longer does.
     *
     * @param slot of the host's node, or NONE where that is not known
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

    /** A change of a node moves something. */
    void countNodeMove() {
        nodeMoves++;
    }

    /** The node table has room for so many slots now. */
    public void growTo(int capacity) {
        for (SharedParts<?, ? extends NodePart> parts : List.of(topologies, predicates, eligibilities)) {
            parts.all().forEach(part -> part.growTo(capacity));
            parts.account();
        }
    }

    /**
     * Builds the next slice of a part that is kept by its user, and of what it rests on; answers whether it is built.
     */
    public boolean build(NodePart part, BooleanSupplier isTimeUp) {
        return part.build(nodes, isTimeUp);
    }

    // ---- acquiring and releasing parts

    /** One that is new still has to be built, as other parts over nodes have to be. */
    public Topology acquireTopology(Topology.Kind kind, String key) {
        return topologies.acquire(
                new TopologyKey(kind, key),
                fresh -> sized(new Topology(kind, key, strings.acquire(key), emptyId, wideFrom)));
    }

    public void release(Topology topology) {
        topologies.release(topology);
    }

    private void dropped(TopologyKey key, Topology topology) {
        strings.release(topology.keyId);
    }

    /** A predicate of a pod's affinity that nobody shares yet; needs no lock. */
    public NodePredicate.Affine affine(Map<String, String> nodeSelector, @Nullable List<NodeTerm> terms) {
        return new NodePredicate.Affine(new AffinityMatcher(nodeSelector, terms, strings));
    }

    /**
     * The nodes that a node selector and required affinity match.
     *
     * @param fresh taken where there is none for the key yet
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

    public void release(NodePredicate predicate) {
        predicates.release(predicate);
    }

    /** One that is new is to be built after its {@link Eligibility#parts}. */
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

    /** The domains of a topology that hold a node of the eligibility; both are built. */
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
     * The group for a selector over eligible domains; a new one still has to be built.
     *
     * @throws CapacityException where there is no room for a text of the selector; nothing is changed
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

    /** The joint histogram of a topology and a group over {@link Topology.Kind#NODE}; made where there is none yet. */
    public JointHistogram acquireJoint(Topology topology, SpreadGroup group) {
        return joints.acquire(new JointHistogram.Key(topology, group), fresh -> {
            JointHistogram made = new JointHistogram(topology, group);
            group.add(made);
            return made;
        });
    }

    /** To be released before its topology and group are. */
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
