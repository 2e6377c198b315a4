package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.PodCounter;
import io.evenkeel.engine.labels.Selector;
import io.evenkeel.engine.memory.NodeBits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of one node in progress: for each part of the index, what the node's slot will be in it. All of this is
 * computed before anything moves, because some parts depend on the old and the new state of others.
 *
 * <pre>
 *   by place of a topology        carries    the node will have the label
 *                                 values     names the new domain of the slot; NONE if it will be in none
 *                                 moves      the new domain differs from the present one
 *   by place of a predicate       meets      the node will meet the condition
 *   by place of an eligibility    eligible   the node will be eligible
 *   by place of eligible domains  affected   an eligible node is added, removed, or moves to another domain
 * </pre>
 *
 * Then, in this order:
 *
 * <ol>
 *   <li>the node's pods are removed from the groups over affected domains, while the groups still find them in the
 *       domains in which they were counted;
 *   <li>the slot leaves joint histograms and eligible domains, whose counts no longer include its pods;
 *   <li>the slot moves in topologies, predicates and eligibilities;
 *   <li>the slot enters eligible domains and joint histograms, and its pods are counted there;
 *   <li>topologies change to the layout that suits them now.
 * </ol>
 *
 * One object is used for all changes, so that events allocate nothing.
 */
public final class NodeChange {
    private final SpreadIndex index;
    private final NodeSlots nodes;
    private final PodTable pods;
    private final PodList podsOnHost;
    private final LabelClasses classes;

    private int slot;
    private int host;
    private boolean[] carries = {};
    private int[] values = {};
    private boolean[] moves = {};
    private boolean[] meets = {};
    private boolean[] eligible = {};
    private boolean[] affected = {};

    public NodeChange(SpreadIndex index, NodeSlots nodes, PodTable pods, PodList podsOnHost, LabelClasses classes) {
        this.index = index;
        this.nodes = nodes;
        this.pods = pods;
        this.podsOnHost = podsOnHost;
        this.classes = classes;
    }

    /**
     * Updates the index after a change of the node table. The pods must still be listed on the host.
     *
     * @param ofSlot the node's slot
     * @param onHost the node's host
     * @param was the node before the change; null if it was added
     * @param becomes the node after the change; null if it was removed
     */
    public void apply(
            int ofSlot, int onHost, NodeSlots.@Nullable Attributes was, NodeSlots.@Nullable Attributes becomes) {
        slot = ofSlot;
        host = onHost;
        if (workOut(becomes)) {
            index.countNodeMove();
            shiftPods(false);
            leave();
            move(was);
            enter();
            shiftPods(true);
            turn();
        }
    }

    // ---- computing the change

    /** Computes the change for all parts; returns whether it affects any of them. */
    private boolean workOut(NodeSlots.@Nullable Attributes becomes) {
        boolean any = workOutTopologies(becomes);
        any |= workOutPredicates(becomes);
        any |= workOutEligibilities(becomes != null);
        workOutDomains();
        return any;
    }

    private boolean workOutTopologies(NodeSlots.@Nullable Attributes becomes) {
        List<Topology> topologies = index.topologies();
        if (topologies.size() > carries.length) {
            carries = new boolean[2 * topologies.size()];
            moves = new boolean[2 * topologies.size()];
            values = new int[2 * topologies.size()];
        }
        boolean any = false;
        for (int place = 0; place < topologies.size(); place++) {
            Topology topology = topologies.get(place);
            boolean known = becomes != null && topology.covers(slot);
            carries[place] = known && becomes != null && topology.isCarriedBy(becomes);
            int value = known && becomes != null ? topology.valueOf(slot, becomes) : Topology.NONE;
            values[place] = value;
            int from = topology.domainOf(slot);
            int to = value == Topology.NONE ? Topology.NONE : topology.domainOfValue(value);
            moves[place] = from != to || value != Topology.NONE && to == Topology.NONE;
            any |= moves[place] || carries[place] != NodeBits.get(topology.carriers(), slot);
        }
        return any;
    }

    private boolean workOutPredicates(NodeSlots.@Nullable Attributes becomes) {
        List<NodePredicate> predicates = index.predicates();
        if (predicates.size() > meets.length) {
            meets = new boolean[2 * predicates.size()];
        }
        boolean any = false;
        for (int place = 0; place < predicates.size(); place++) {
            NodePredicate predicate = predicates.get(place);
            meets[place] = becomes != null && predicate.covers(slot) && predicate.test(becomes);
            any |= meets[place] != predicate.holds(slot);
        }
        return any;
    }

    private boolean workOutEligibilities(boolean stays) {
        List<Eligibility> eligibilities = index.eligibilities();
        if (eligibilities.size() > eligible.length) {
            eligible = new boolean[2 * eligibilities.size()];
        }
        boolean any = false;
        for (int place = 0; place < eligibilities.size(); place++) {
            Eligibility eligibility = eligibilities.get(place);
            eligible[place] = stays && eligibility.covers(slot) && willBeEligible(eligibility);
            any |= eligible[place] != eligibility.holds(slot);
        }
        return any;
    }

    private boolean willBeEligible(Eligibility eligibility) {
        for (Topology topology : eligibility.topologies) {
            if (!carries[topology.place()]) {
                return false;
            }
        }
        for (NodePredicate predicate : eligibility.predicates) {
            if (!meets[predicate.place()]) {
                return false;
            }
        }
        return true;
    }

    private void workOutDomains() {
        List<EligibleDomains> all = index.eligibleDomains();
        if (all.size() > affected.length) {
            affected = new boolean[2 * all.size()];
        }
        for (int place = 0; place < all.size(); place++) {
            EligibleDomains domains = all.get(place);
            boolean was = domains.eligibility.holds(slot);
            affected[place] = was != eligible[domains.eligibility.place()] || was && moves[domains.topology.place()];
        }
    }

    // ---- applying the change

    /** Counts the node's pods in, or out of, the groups over affected domains. */
    private void shiftPods(boolean in) {
        for (int pod = podsOnHost.first(host); pod != PodList.NONE; pod = podsOnHost.next(pod)) {
            if (pods.counts(pod)) {
                int labelClass = pods.labelClass(pod);
                for (Selector selector : classes.matches(labelClass)) {
                    for (PodCounter counter : selector.counters()) {
                        if (counter instanceof SpreadGroup group
                                && isAffected(group)
                                && group.covers(classes.position(labelClass), pod)) {
                            group.shift(slot, in);
                        }
                    }
                }
            }
        }
    }

    /** Whether the group depends on the node. A group that tallies counts by host does not. */
    private boolean isAffected(SpreadGroup group) {
        return affected[group.domains.place()] && !group.tallies();
    }

    private void leave() {
        List<JointHistogram> joints = index.joints();
        for (int place = 0; place < joints.size(); place++) {
            JointHistogram joint = joints.get(place);
            if (moves[joint.topology.place()]) {
                joint.leave(slot);
            }
        }
        List<EligibleDomains> all = index.eligibleDomains();
        for (int place = 0; place < all.size(); place++) {
            EligibleDomains domains = all.get(place);
            if (affected[place] && domains.eligibility.holds(slot)) {
                domains.nodeLeaves(slot);
            }
        }
    }

    private void move(NodeSlots.@Nullable Attributes was) {
        List<NodePredicate> predicates = index.predicates();
        for (int place = 0; place < predicates.size(); place++) {
            predicates.get(place).assign(slot, meets[place]);
        }
        List<Eligibility> eligibilities = index.eligibilities();
        for (int place = 0; place < eligibilities.size(); place++) {
            eligibilities.get(place).assign(slot, eligible[place]);
        }
        List<Topology> topologies = index.topologies();
        for (int place = 0; place < topologies.size(); place++) {
            Topology topology = topologies.get(place);
            topology.setCarrier(slot, carries[place]);
            if (moves[place]) {
                move(topology, was);
            }
        }
    }

    private void move(Topology topology, NodeSlots.@Nullable Attributes was) {
        int from = topology.domainOf(slot);
        if (from != Topology.NONE && was != null) {
            int renamed = topology.leave(slot, topology.valueOf(slot, was));
            if (renamed != from) {
                rename(topology, from, renamed);
            }
        }
        int value = values[topology.place()];
        if (value != Topology.NONE) {
            topology.enter(slot, value);
        }
    }

    private void rename(Topology topology, int from, int to) {
        for (EligibleDomains domains : index.eligibleDomains()) {
            if (domains.topology == topology) {
                domains.renameDomain(from, to);
            }
        }
    }

    private void enter() {
        List<EligibleDomains> all = index.eligibleDomains();
        for (int place = 0; place < all.size(); place++) {
            EligibleDomains domains = all.get(place);
            if (affected[place] && domains.eligibility.holds(slot)) {
                domains.nodeEnters(slot);
            }
        }
        List<JointHistogram> joints = index.joints();
        for (int place = 0; place < joints.size(); place++) {
            JointHistogram joint = joints.get(place);
            if (moves[joint.topology.place()]) {
                joint.enter(slot);
            }
        }
    }

    private void turn() {
        List<Topology> topologies = index.topologies();
        for (int place = 0; place < topologies.size(); place++) {
            Topology topology = topologies.get(place);
            if (topology.wantsOtherLayout()) {
                turn(topology);
            }
        }
    }

    private void turn(Topology topology) {
        int[] mapping = topology.turn(nodes);
        for (EligibleDomains domains : index.eligibleDomains()) {
            if (domains.topology == topology) {
                domains.turn(mapping);
            }
        }
        for (JointHistogram joint : index.joints()) {
            if (joint.topology == topology) {
                joint.recount();
            }
        }
    }
}
