package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.PodCounter;
import io.evenkeel.engine.labels.Selector;
import io.evenkeel.engine.memory.IndexPart;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.TaintToleration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is counted, for whom: topologies, node predicates, eligibilities, eligible domains and spread groups, each
 * shared by all who need the same, and kept as pods and nodes come and go.
 *
 * <p>A part is made when it is first acquired, from the store, and dropped when the last user lets go. Written by the
 * engine's one writer; read under its lock.
 */
public final class SpreadIndex {
    private record TopologyKey(Topology.Kind kind, String key) {
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(kind.ordinal(), key);
        }
    }

    /** Of a predicate over taints. A list's own hash is not keyed, whatever its elements' are. */
    private record Tolerations(List<TaintToleration> tolerations) {
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(tolerations);
        }
    }

    private final StringTable strings;
    private final NodeTable nodes;
    private final PodTable pods;
    private final PodList podsOnHost;
    private final LabelClasses classes;
    private final int emptyId;
    private final int wideFrom;

    private final Map<TopologyKey, Topology> topologies = new HashMap<>();
    private final Map<Object, NodePredicate> predicates = new HashMap<>();
    private final Map<Eligibility.Key, Eligibility> eligibilities = new HashMap<>();
    private final Map<EligibleDomains.Key, EligibleDomains> eligibleDomains = new HashMap<>();
    private final Map<SpreadGroup.Key, SpreadGroup> groups = new HashMap<>();
    private final Map<JointHistogram.Key, JointHistogram> joints = new HashMap<>();
    private int selectorCount;
    private long nodeMoves;
    private long bytes;

    public SpreadIndex(
            StringTable strings,
            NodeTable nodes,
            PodTable pods,
            PodList podsOnHost,
            LabelClasses classes,
            int wideFrom) {
        this.strings = strings;
        this.nodes = nodes;
        this.pods = pods;
        this.podsOnHost = podsOnHost;
        this.classes = classes;
        this.wideFrom = wideFrom;
        this.emptyId = strings.acquire("");
    }

    /** The id of the empty text, which is always in use. */
    public int emptyText() {
        return emptyId;
    }

    public Iterable<SpreadGroup> groups() {
        return groups.values();
    }

    public Iterable<Topology> topologies() {
        return topologies.values();
    }

    public Iterable<Eligibility> eligibilities() {
        return eligibilities.values();
    }

    public Iterable<EligibleDomains> eligibleDomains() {
        return eligibleDomains.values();
    }

    public Iterable<NodePredicate> predicates() {
        return predicates.values();
    }

    public Iterable<JointHistogram> joints() {
        return joints.values();
    }

    /** Grows with every change of a node that moves anything here. */
    public long nodeMoves() {
        return nodeMoves;
    }

    public int groupCount() {
        return groups.size();
    }

    public int predicateCount() {
        return predicates.size();
    }

    public Object[] predicatesToArray() {
        return predicates.values().toArray();
    }

    public int eligibilityCount() {
        return eligibilities.size();
    }

    public int selectorCount() {
        return selectorCount;
    }

    /** About how many bytes all parts take; a sum that is kept. */
    public long bytes() {
        return bytes;
    }

    /** The same, added up anew. */
    public long addUpBytes() {
        Set<IndexPart> parts = Collections.newSetFromMap(new IdentityHashMap<>());
        parts.addAll(topologies.values());
        parts.addAll(predicates.values());
        parts.addAll(eligibilities.values());
        parts.addAll(eligibleDomains.values());
        parts.addAll(groups.values());
        groups.values().forEach(group -> parts.add(group.selector));
        parts.addAll(joints.values());
        return parts.stream().mapToLong(part -> part.accountedBytes).sum();
    }

    /** Counts in what a part takes now, in place of what it took when it was last counted. */
    public void account(IndexPart part) {
        account(part, part.bytes());
    }

    private void account(IndexPart part, long now) {
        bytes += now - part.accountedBytes;
        part.accountedBytes = now;
    }

    // ---- pods

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

    // ---- nodes

    /**
     * A slot's node goes from what the table holds to {@code next}: it comes (the table holds it already), changes, or
     * goes (null). Afterwards the table must hold {@code next}; pods on the slot's host are counted as the store says
     * until then.
     */
    public void nodeBecomes(int slot, NodeTable.@Nullable Attributes next) {
        boolean moved = prepare(slot, next);
        if (!moved) {
            return;
        }
        nodeMoves++;
        shiftPods(slot, false);
        for (JointHistogram joint : joints.values()) {
            if (joint.topology.pendingMove) {
                joint.leave(slot);
            }
        }
        for (EligibleDomains domains : eligibleDomains.values()) {
            if (domains.affected && domains.eligibility.holds(slot)) {
                domains.nodeLeaves(slot);
            }
        }
        for (NodePredicate predicate : predicates.values()) {
            predicate.assign(slot, predicate.pending);
        }
        for (Eligibility eligibility : eligibilities.values()) {
            eligibility.assign(slot, eligibility.pending);
        }
        for (Topology topology : topologies.values()) {
            topology.setCarrier(slot, topology.pendingCarries);
            if (topology.pendingMove) {
                move(topology, slot);
            }
        }
        for (EligibleDomains domains : eligibleDomains.values()) {
            if (domains.affected && domains.eligibility.holds(slot)) {
                domains.nodeEnters(slot);
            }
        }
        for (JointHistogram joint : joints.values()) {
            if (joint.topology.pendingMove) {
                joint.enter(slot);
            }
        }
        shiftPods(slot, true);
    }

    /** After the table holds the change: topologies turn to the layout that suits them. */
    public void settle() {
        for (Topology topology : topologies.values()) {
            if (topology.wantsOtherLayout()) {
                int[] mapping = topology.turn(valuesOf(topology));
                for (EligibleDomains domains : eligibleDomains.values()) {
                    if (domains.topology == topology) {
                        domains.recount();
                        for (SpreadGroup group : domains.groups()) {
                            group.turn(mapping);
                        }
                    }
                }
                for (JointHistogram joint : joints.values()) {
                    if (joint.topology == topology) {
                        joint.recount();
                    }
                }
            }
        }
    }

    public void growTo(int capacity) {
        topologies.values().forEach(topology -> topology.growTo(capacity));
        predicates.values().forEach(predicate -> predicate.growTo(capacity));
        eligibilities.values().forEach(eligibility -> eligibility.growTo(capacity));
        topologies.values().forEach(this::account);
        predicates.values().forEach(this::account);
        eligibilities.values().forEach(this::account);
    }

    /** Works out what {@code next} makes of the slot everywhere; answers whether that is anything new. */
    private boolean prepare(int slot, NodeTable.@Nullable Attributes next) {
        boolean moved = false;
        for (Topology topology : topologies.values()) {
            boolean carried = NodeBits.get(topology.carriers(), slot);
            boolean stands = next != null && topology.covers(slot);
            topology.pendingCarries = stands && next != null && topology.isCarriedBy(next.labels());
            boolean member = stands
                    && next != null
                    && (topology.kind == Topology.Kind.NODE || topology.valueIn(next.labels()) != Topology.NONE);
            topology.pendingValue = member && next != null && topology.kind != Topology.Kind.NODE
                    ? topology.valueIn(next.labels())
                    : Topology.NONE;
            int from = topology.domainOf(slot);
            int to = !member || topology.kind == Topology.Kind.NODE
                    ? Topology.NONE
                    : topology.domainOfValue(topology.pendingValue);
            boolean stays = topology.kind == Topology.Kind.NODE
                    ? member == (from != Topology.NONE)
                    : member ? from != Topology.NONE && from == to : from == Topology.NONE;
            topology.pendingMove = !stays;
            moved |= topology.pendingMove || carried != topology.pendingCarries;
        }
        for (NodePredicate predicate : predicates.values()) {
            predicate.pending = next != null && predicate.covers(slot) && predicate.test(next);
            moved |= predicate.pending != predicate.holds(slot);
        }
        for (Eligibility eligibility : eligibilities.values()) {
            eligibility.pending = next != null && eligibility.covers(slot) && eligibility.next();
            moved |= eligibility.pending != eligibility.holds(slot);
        }
        for (EligibleDomains domains : eligibleDomains.values()) {
            boolean was = domains.eligibility.holds(slot);
            boolean becomes = domains.eligibility.pending;
            domains.affected = was != becomes || was && domains.topology.pendingMove;
        }
        return moved;
    }

    private void move(Topology topology, int slot) {
        int from = topology.domainOf(slot);
        if (from != Topology.NONE) {
            int value = topology.kind == Topology.Kind.NODE
                    ? Topology.NONE
                    : topology.valueIn(nodes.attributes(slot).labels());
            int renamed = topology.leave(slot, value);
            if (renamed != from) {
                for (EligibleDomains domains : eligibleDomains.values()) {
                    if (domains.topology == topology) {
                        for (SpreadGroup group : domains.groups()) {
                            group.renameDomain(from, renamed);
                        }
                    }
                }
            }
        }
        boolean enters =
                topology.kind == Topology.Kind.NODE ? topology.pendingCarries : topology.pendingValue != Topology.NONE;
        if (enters) {
            topology.enter(slot, topology.pendingValue);
        }
    }

    /** Counts the slot's pods in, or out of, the groups whose eligible domains the change under way affects. */
    private void shiftPods(int slot, boolean in) {
        int host = nodes.hostOf(slot);
        for (int pod = podsOnHost.first(host); pod != PodList.NONE; pod = podsOnHost.next(pod)) {
            if (pods.counts(pod)) {
                int labelClass = pods.labelClass(pod);
                for (Selector selector : classes.matches(labelClass)) {
                    for (PodCounter counter : selector.counters()) {
                        if (counter.followsNodeChange() && counter.covers(classes.position(labelClass), pod)) {
                            counter.shift(host, slot, in);
                        }
                    }
                }
            }
        }
    }

    private int[] valuesOf(Topology topology) {
        int[] values = new int[nodes.capacity()];
        Arrays.fill(values, Topology.NONE);
        for (int slot = 0; slot < nodes.limit(); slot++) {
            if (nodes.isKnown(slot) && topology.covers(slot)) {
                values[slot] = topology.valueIn(nodes.attributes(slot).labels());
            }
        }
        return values;
    }

    // ---- acquiring and releasing parts

    /** One that is new still has to be built, as other parts over nodes have to be. */
    public Topology takeTopology(Topology.Kind kind, String key) {
        Topology topology = topologies.get(new TopologyKey(kind, key));
        if (topology == null) {
            topology = new Topology(kind, key, strings.acquire(key), emptyId, wideFrom);
            topology.growTo(nodes.capacity());
            topologies.put(new TopologyKey(kind, key), topology);
            account(topology);
        }
        topology.retain();
        return topology;
    }

    private void buildAlone(NodePart part, BooleanSupplier isTimeUp) {
        if (!part.isBuilt()) {
            part.build(nodes, isTimeUp);
            // Early: there is little to turn as long as few slots are taken in.
            if (part instanceof Topology topology && topology.wantsOtherLayout()) {
                topology.turn(valuesOf(topology));
            }
        }
    }

    /**
     * Builds the next slice of a part that is kept by its user, and of what it rests on; answers whether it is built.
     */
    public boolean build(NodePart part, BooleanSupplier isTimeUp) {
        if (part instanceof Eligibility eligibility) {
            for (NodePart under : eligibility.parts()) {
                if (!build(under, isTimeUp)) {
                    return false;
                }
            }
        }
        buildAlone(part, isTimeUp);
        return part.isBuilt();
    }

    public void release(Topology topology) {
        if (topology.release()) {
            topologies.remove(new TopologyKey(topology.kind, topology.key));
            account(topology, 0);
            strings.release(topology.keyId);
        }
    }

    /**
     * The nodes that a node selector and required affinity match.
     *
     * @param fresh taken where there is none for the key yet
     */
    public NodePredicate takeAffinity(AffinityKey key, NodePredicate.Affine fresh) {
        return take(key, () -> fresh);
    }

    public NodePredicate takeTolerated(List<TaintToleration> tolerations) {
        return take(new Tolerations(tolerations), () -> new NodePredicate.Tolerated(tolerations));
    }

    public NodePredicate takeSchedulable(List<TaintToleration> tolerations) {
        boolean tolerates = NodePredicate.Schedulable.toleratesCordon(tolerations);
        return take(tolerates, () -> new NodePredicate.Schedulable(tolerates));
    }

    private NodePredicate take(Object key, Supplier<NodePredicate> maker) {
        NodePredicate predicate = predicates.get(key);
        if (predicate == null) {
            predicate = maker.get();
            predicate.growTo(nodes.capacity());
            predicates.put(key, predicate);
            account(predicate);
        }
        predicate.retain();
        return predicate;
    }

    public void release(NodePredicate predicate) {
        if (predicate.release()) {
            predicates.values().remove(predicate);
            account(predicate, 0);
        }
    }

    /** One that is new is to be built after its {@link Eligibility#parts}. */
    public Eligibility takeEligibility(Eligibility.Key key) {
        Eligibility eligibility = eligibilities.get(key);
        if (eligibility == null) {
            Topology[] topologiesOf = key.keys().stream()
                    .map(each -> takeTopology(Topology.Kind.LABEL, each))
                    .toArray(Topology[]::new);
            List<NodePredicate> conditions = new ArrayList<>();
            AffinityKey affinity = key.affinity();
            if (!affinity.isTrivial()) {
                conditions.add(take(
                        affinity,
                        () -> new NodePredicate.Affine(
                                new AffinityMatcher(affinity.nodeSelector, affinity.terms, strings))));
            }
            if (key.tolerations() != null) {
                conditions.add(takeTolerated(key.tolerations()));
            }
            eligibility = new Eligibility(key, topologiesOf, conditions.toArray(NodePredicate[]::new));
            eligibility.growTo(nodes.capacity());
            eligibilities.put(key, eligibility);
            account(eligibility);
        }
        eligibility.retain();
        return eligibility;
    }

    public void release(Eligibility eligibility) {
        if (eligibility.release()) {
            eligibilities.remove(eligibility.key);
            account(eligibility, 0);
            for (Topology topology : eligibility.topologies) {
                release(topology);
            }
            for (NodePredicate predicate : eligibility.predicates) {
                release(predicate);
            }
        }
    }

    /**
     * The domains of a topology that hold a node of the eligibility; both are built, and the domains take over one use
     * of each.
     */
    public EligibleDomains takeDomains(Topology topology, Eligibility eligibility) {
        EligibleDomains.Key key = new EligibleDomains.Key(topology, eligibility);
        EligibleDomains domains = eligibleDomains.get(key);
        if (domains == null) {
            domains = new EligibleDomains(topology, eligibility);
            eligibleDomains.put(key, domains);
            account(domains);
        } else {
            release(topology);
            release(eligibility);
        }
        domains.retain();
        return domains;
    }

    public void release(EligibleDomains domains) {
        if (domains.release()) {
            eligibleDomains.remove(new EligibleDomains.Key(domains.topology, domains.eligibility));
            account(domains, 0);
            release(domains.topology);
            release(domains.eligibility);
        }
    }

    /**
     * The group for a selector over eligible domains; a new one still has to be built.
     *
     * @throws CapacityException where there is no room for a text of the selector; nothing is changed
     */
    public SpreadGroup acquireGroup(Namespace namespace, PodSelector labelSelector, EligibleDomains domains) {
        Selector selector = namespace.selectors().get(labelSelector);
        if (selector == null) {
            selector = new Selector(namespace, labelSelector, strings);
            namespace.add(selector);
            selectorCount++;
            account(selector);
        }
        SpreadGroup.Key key = new SpreadGroup.Key(selector, domains);
        SpreadGroup group = groups.get(key);
        if (group == null) {
            group = new SpreadGroup(selector, domains);
            selector.retain();
            selector.add(group);
            domains.retain();
            domains.add(group);
            groups.put(key, group);
            account(group);
            namespace.classes().buildBegins();
        }
        group.retain();
        return group;
    }

    public void release(SpreadGroup group) {
        if (!group.release()) {
            return;
        }
        groups.remove(new SpreadGroup.Key(group.selector, group.domains));
        account(group, 0);
        if (!group.isBuilt()) {
            group.selector.namespace.classes().buildEnds();
        }
        group.selector.remove(group);
        if (group.selector.release()) {
            drop(group.selector);
        }
        group.domains.remove(group);
        release(group.domains);
    }

    /** The joint histogram of a topology and a group over {@link Topology.Kind#NODE}; made where there is none yet. */
    public JointHistogram acquireJoint(Topology topology, SpreadGroup group) {
        JointHistogram.Key key = new JointHistogram.Key(topology, group);
        JointHistogram joint = joints.get(key);
        if (joint == null) {
            joint = new JointHistogram(topology, group);
            group.add(joint);
            joints.put(key, joint);
            account(joint);
        }
        joint.retain();
        return joint;
    }

    /** To be let go before its topology and group are. */
    public void release(JointHistogram joint) {
        if (joint.release()) {
            joints.remove(new JointHistogram.Key(joint.topology, joint.group));
            joint.group.remove(joint);
            account(joint, 0);
        }
    }

    private void drop(Selector selector) {
        selector.namespace.remove(selector);
        selectorCount--;
        account(selector, 0);
        classes.removeMatches(selector);
        selector.requirements.release(strings);
    }
}
