package io.evenkeel.engine.validator;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.NodePredicate;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.labels.LabelRequirements;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Selector;
import io.evenkeel.engine.memory.Shared;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterStore;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.agrona.collections.Int2IntHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Recounts how often the shared items of the store are used: texts, hosts, parts of the index, and the anchors of
 * selectors. {@link IndexValidator} checks the items themselves.
 */
public final class UseValidator {
    private final ClusterStore store;
    private final boolean forked;
    private final Int2IntHashMap usesOfText = new Int2IntHashMap(0);
    private final IdentityHashMap<Shared, Integer> users = new IdentityHashMap<>();

    /**
     * Creates a validator of a store.
     *
     * @param forked whether texts may have more uses than those counted: those of the original's plans
     */
    public UseValidator(ClusterStore store, boolean forked) {
        this.store = store;
        this.forked = forked;
    }

    /** Checks everything that does not depend on plans: hosts, anchors, and uses of parts by other parts. */
    public void validate() {
        validateHosts();
        validateAnchors();
        validateTexts();
    }

    /**
     * Recounts who uses the shared parts.
     *
     * @param plans all plans whose parts are not released
     */
    public void validateUsers(Collection<PodPlan> plans) {
        plans.forEach(this::usePartsOf);
        for (EligibleDomains domains : store.index.eligibleDomains()) {
            use(domains.topology);
            use(domains.eligibility);
        }
        for (Eligibility eligibility : store.index.eligibilities()) {
            for (Topology topology : eligibility.topologies) {
                use(topology);
            }
            for (NodePredicate predicate : eligibility.predicates) {
                use(predicate);
            }
        }
        for (SpreadGroup group : store.index.groups()) {
            use(group.selector);
            use(group.domains);
        }
        expectUsers(store.index.topologies(), "topology");
        expectUsers(store.index.predicates(), "node predicate");
        expectUsers(store.index.eligibilities(), "eligibility");
        expectUsers(store.index.fits(), "fit");
        expectUsers(store.index.eligibleDomains(), "eligible domains");
        expectUsers(store.index.groups(), "group");
        expectUsers(store.index.joints(), "joint histogram");
        expectUsers(store.index.selectors(), "selector");
        users.keySet().forEach(part -> expect("in the index", "elsewhere", () -> "a part that is used: " + part));
    }

    private void usePartsOf(PodPlan plan) {
        for (PlannedConstraint[] constraints : new PlannedConstraint[][] {plan.hard, plan.soft}) {
            for (PlannedConstraint constraint : constraints) {
                use(constraint.label());
                use(constraint.domains());
                if (constraint.group() != null) {
                    use(constraint.group());
                }
            }
        }
        if (plan.joint != null) {
            use(plan.joint);
        }
        use(plan.schedulable);
        use(plan.fit);
        use(plan.tolerated);
        if (plan.affine != null) {
            use(plan.affine);
        }
    }

    private void use(Shared part) {
        users.merge(part, 1, Integer::sum);
    }

    private void expectUsers(Iterable<? extends Shared> parts, String what) {
        for (Shared part : parts) {
            Integer counted = users.remove(part);
            expect(part.users(), counted == null ? 0 : counted, () -> "users of a " + what);
        }
    }

    // ---- hosts

    private void validateHosts() {
        Set<Integer> hosts = new HashSet<>();
        for (int slot = 0; slot < store.nodes.limit(); slot++) {
            if (store.nodes.isKnown(slot)) {
                validateHostOf(slot);
                hosts.add(store.nodes.hostOf(slot));
            }
        }
        expect(store.nodes.size(), hosts.size(), () -> "nodes");
        for (int pod = 0; pod < store.pods.limit(); pod++) {
            if (store.pods.isLive(pod) && store.pods.host(pod) != PodTable.NONE && hosts.add(store.pods.host(pod))) {
                String name = store.hosts.name(store.pods.host(pod));
                expect(store.hosts.slot(store.pods.host(pod)), NodeSlots.NONE, () -> "slot of host " + name);
            }
        }
        expect(store.hosts.size(), hosts.size(), () -> "hosts");
        hosts.forEach(host -> useText(store.hosts.nameId(host)));
    }

    private void validateHostOf(int slot) {
        int host = store.nodes.hostOf(slot);
        String name = store.nodes.attributes(slot).name();
        expect(store.hosts.name(host), name, () -> "name of the host of slot " + slot);
        expect(store.hosts.slot(host), slot, () -> "slot of host " + name);
        expect(store.nodes.slotOfName(name), slot, () -> "slot of the node " + name);
        expect(store.nodes.slotOfUid(store.nodes.uid(slot)), slot, () -> "slot by UID of the node " + name);
    }

    // ---- anchors

    private void validateAnchors() {
        IdentityHashMap<Namespace, Integer> anchors = new IdentityHashMap<>();
        store.index.forEachSelector((namespace, selector) -> {
            LabelRequirements requirements = selector.requirements;
            int anchor = selector.anchor;
            boolean single = anchor == LabelRequirements.NONE || requirements.isExists(anchor);
            anchors.merge(namespace, single ? 1 : requirements.values(anchor).length, Integer::sum);
            expect(
                    namespace.isAnchored(selector),
                    true,
                    () -> "anchored in " + namespace.name + ": " + selector.source);
        });
        for (Namespace namespace : store.namespaces.all()) {
            Integer counted = anchors.remove(namespace);
            expect(namespace.anchors(), counted == null ? 0 : counted, () -> "anchors in " + namespace.name);
        }
        expect(anchors.size(), 0, () -> "deleted namespaces that still have selectors");
    }

    // ---- texts

    private void validateTexts() {
        useText(store.index.emptyText());
        for (int slot = 0; slot < store.nodes.limit(); slot++) {
            if (store.nodes.isKnown(slot)) {
                useTexts(store.nodes.attributes(slot).labels());
            }
        }
        store.pods.forEachText(this::useText);
        store.classes.forEachText(this::useText);
        for (Topology topology : store.index.topologies()) {
            useText(topology.keyId);
        }
        for (Selector selector : store.index.selectors()) {
            selector.requirements.forEachText(this::useText);
        }
        usesOfText.forEachInt((text, uses) -> expect(
                forked ? Math.min(uses, store.strings.uses(text)) : store.strings.uses(text),
                uses,
                () -> "uses of the text \"" + store.strings.get(text) + "\""));
        if (!forked) {
            expect(store.strings.size(), usesOfText.size(), () -> "texts");
        }
    }

    private void useTexts(int[] texts) {
        for (int text : texts) {
            useText(text);
        }
    }

    private void useText(int text) {
        usesOfText.put(text, usesOfText.get(text) + 1);
    }

    private static void expect(@Nullable Object maintained, @Nullable Object recounted, Supplier<String> what) {
        if (!Objects.equals(maintained, recounted)) {
            throw new IllegalStateException(what.get() + ": maintained " + maintained + ", recounted " + recounted);
        }
    }
}
