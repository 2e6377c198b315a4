package io.evenkeel.engine.skew;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Counts pods by domain, for one constraint after another. The time for one depends on its pods, not on the domains.
 *
 * <pre>
 *   counts    by domain; between two constraints all are 0
 *   touched   the domains with pods, in the order of their first pod
 *   owners    by place: the workload of the pods; null if they have no controller
 * </pre>
 */
public final class DomainCounter {
    private final ClusterView cluster;
    private final PodsByClass pods;
    private final NamespaceWorkloads.@Nullable Workload[] owners;
    private int[] counts = {};
    private int[] touched = {};
    private int touches;

    /** Counts the pods of {@code pods}. */
    public DomainCounter(ClusterView cluster, PodsByClass pods) {
        this.cluster = cluster;
        this.pods = pods;
        owners = new NamespaceWorkloads.Workload[pods.size()];
    }

    /** Sets the workload of the pods of a class, before they are counted. */
    void setOwner(int place, NamespaceWorkloads.@Nullable Workload workload) {
        owners[place] = workload;
    }

    /**
     * Counts the pods on eligible nodes.
     *
     * @param domains the domains over which pods are counted
     * @param workload whose pods are its own
     * @param listing gets the number of domains before they are listed; null if they are not
     */
    ConstraintCounts count(
            NamespaceWorkloads.Question asked,
            EligibleDomains domains,
            NamespaceWorkloads.Workload workload,
            @Nullable IntConsumer listing) {
        begin(domains, listing);
        int own = 0;
        int others = 0;
        IntArrayList classes = asked.classes();
        for (int i = 0; i < classes.size(); i++) {
            int place = pods.place(classes.getInt(i));
            if (place != PodsByClass.NONE) {
                int counted = add(place, domains);
                if (owners[place] == workload) {
                    own += counted;
                } else {
                    others += counted;
                }
            }
        }
        return end(asked.index(), asked.source(), asked.topologyKey(), asked.selector(), domains, own, others, listing);
    }

    /**
     * The same for classes by place.
     *
     * @param isOwn whether the class at a place is of the workload itself
     */
    public ConstraintCounts count(ConstraintQuestions.Question asked, IntPredicate isOwn) {
        begin(asked.domains(), null);
        int own = 0;
        int others = 0;
        for (int i = 0; i < asked.places().size(); i++) {
            int place = asked.places().getInt(i);
            int counted = add(place, asked.domains());
            own += isOwn.test(place) ? counted : 0;
            others += isOwn.test(place) ? 0 : counted;
        }
        return end(
                asked.index(),
                asked.source(),
                asked.topologyKey(),
                asked.selector(),
                asked.domains(),
                own,
                others,
                null);
    }

    private void begin(EligibleDomains domains, @Nullable IntConsumer listing) {
        if (listing != null) {
            listing.accept(domains.domains());
        }
        if (counts.length < domains.topology.domainLimit()) {
            counts = new int[domains.topology.domainLimit()];
            touched = new int[counts.length];
        }
    }

    private ConstraintCounts end(
            int index,
            @Nullable SpreadConstraint source,
            String topologyKey,
            @Nullable PodSelector selector,
            EligibleDomains domains,
            int own,
            int others,
            @Nullable IntConsumer listing) {
        int minimum = minimum(domains.domains(), source == null ? 1 : Math.max(1, source.minDomains()));
        int maximum = 0;
        long excess = 0;
        for (int i = 0; i < touches; i++) {
            int count = counts[touched[i]];
            maximum = Math.max(maximum, count);
            excess += source == null ? 0 : Math.max(0, (long) count - minimum - source.maxSkew());
        }
        List<ConstraintCounts.Domain> listed = listing == null ? List.of() : listed(domains);
        for (int i = 0; i < touches; i++) {
            counts[touched[i]] = 0;
        }
        touches = 0;
        return new ConstraintCounts(
                index, source, topologyKey, selector, minimum, maximum, excess, domains.domains(), own, others, listed);
    }

    /** Counts the pods of a class; returns how many are on eligible nodes. */
    private int add(int place, EligibleDomains domains) {
        int[] slots = pods.slots();
        int counted = 0;
        int end = pods.begin(place + 1);
        for (int at = pods.begin(place); at < end; at++) {
            int slot = slots[at];
            if (slot != NodeSlots.NONE && domains.eligibility.holds(slot)) {
                int domain = domains.topology.domainOf(slot);
                if (counts[domain]++ == 0) {
                    touched[touches++] = domain;
                }
                counted++;
            }
        }
        return counted;
    }

    /** The global minimum. Domains that are not touched have no pods. */
    private int minimum(int domains, int minDomains) {
        if (domains < minDomains || touches < domains) {
            return 0;
        }
        int minimum = Integer.MAX_VALUE;
        for (int i = 0; i < touches; i++) {
            minimum = Math.min(minimum, counts[touched[i]]);
        }
        return minimum;
    }

    private List<ConstraintCounts.Domain> listed(EligibleDomains domains) {
        Topology topology = domains.topology;
        boolean[] isListed = new boolean[topology.domainLimit()];
        List<ConstraintCounts.Domain> listed = new ArrayList<>();
        for (int slot = 0; slot < topology.domainsBySlot().length; slot++) {
            int domain = topology.domainOf(slot);
            if (domains.eligibility.holds(slot) && !isListed[domain]) {
                isListed[domain] = true;
                listed.add(new ConstraintCounts.Domain(value(slot, topology), counts[domain]));
            }
        }
        listed.sort(Comparator.comparingInt(ConstraintCounts.Domain::pods)
                .reversed()
                .thenComparing(ConstraintCounts.Domain::value));
        return listed;
    }

    /** The value of the domain that a slot is in. */
    private String value(int slot, Topology topology) {
        NodeSlots.Attributes node = cluster.attributes(slot);
        return topology.kind == Topology.Kind.NODE ? node.name() : cluster.text(topology.valueIn(node.labels()));
    }
}
