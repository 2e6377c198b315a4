package io.evenkeel.engine.validator;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.cluster.RequestTable;
import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.AntiAffinityTerm;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.store.ClusterStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recounts what is free on each node from the stored pods and nodes, and compares it with the tables and the fits. */
public final class ResourceValidator {
    private final ClusterStore store;
    private final Map<Integer, Map<String, Long>> freeOfSlot = new HashMap<>();
    private final Map<Integer, List<PodRequests>> portsOfSlot = new HashMap<>();
    private final Map<Integer, Long> nonZeroCpu = new HashMap<>();
    private final Map<Integer, Long> nonZeroMemory = new HashMap<>();
    private final Set<String> resources = new HashSet<>();
    private final Map<String, Integer> carriers = new HashMap<>();
    private final Set<PodRequests> repelling = new HashSet<>();
    private int podsWithoutRequests;
    private int nodesWithoutAllocatable;

    public ResourceValidator(ClusterStore store) {
        this.store = store;
    }

    public void validate() {
        for (int slot = 0; slot < store.nodes.limit(); slot++) {
            if (store.nodes.isKnown(slot)) {
                addNode(slot);
            }
        }
        Map<PodRequests, Integer> users = new HashMap<>(Map.of(PodRequests.UNKNOWN, 1));
        for (int pod = 0; pod < store.pods.limit(); pod++) {
            if (store.pods.isLive(pod)) {
                users.merge(store.requests.get(store.pods.requests(pod)), 1, Integer::sum);
                addPod(pod);
            }
        }
        expect(store.requests.size(), users.size(), "different requests");
        expect(store.resources.podsWithoutRequests(), podsWithoutRequests, "pods without requests");
        expect(store.resources.nodesWithoutAllocatable(), nodesWithoutAllocatable, "nodes without allocatable");
        freeOfSlot.keySet().forEach(this::validateSlot);
        expect(store.antiAffinities.terms(), terms(), "terms of anti-affinity");
        store.index.fits().forEach(this::validate);
    }

    private void addNode(int slot) {
        NodeAllocatable has = store.nodes.attributes(slot).allocatable();
        Map<String, Long> free = new HashMap<>();
        if (has == null) {
            nodesWithoutAllocatable++;
        } else {
            free.putAll(has.amounts());
            has.amounts().forEach((resource, amount) -> carriers.merge(resource, amount > 0 ? 1 : 0, Integer::sum));
            free.put("pods", has.pods());
        }
        resources.addAll(free.keySet());
        freeOfSlot.put(slot, free);
        portsOfSlot.put(slot, new ArrayList<>());
    }

    private void addPod(int pod) {
        int host = store.pods.host(pod);
        int slot = host == PodTable.NONE ? NodeSlots.NONE : store.hosts.slot(host);
        if (slot == NodeSlots.NONE || store.pods.is(pod, PodTable.FINISHED)) {
            return;
        }
        PodRequests taken = store.requests.get(store.pods.requests(pod));
        podsWithoutRequests += taken.isKnown() ? 0 : 1;
        Map<String, Long> free = Objects.requireNonNull(freeOfSlot.get(slot));
        free.merge("pods", -1L, Long::sum);
        for (PodRequests.Amount amount : taken.amounts()) {
            resources.add(amount.resource());
            free.merge(amount.resource(), -amount.amount(), Long::sum);
        }
        nonZeroCpu.merge(slot, taken.nonZero().cpu(), Long::sum);
        nonZeroMemory.merge(slot, taken.nonZero().memory(), Long::sum);
        if (!taken.hostPorts().isEmpty()) {
            Objects.requireNonNull(portsOfSlot.get(slot)).add(taken);
        }
        repelling.add(taken);
    }

    /** How many of the different requests on nodes have each term, by namespace. */
    private Map<String, Map<AntiAffinityTerm, Integer>> terms() {
        Map<String, Map<AntiAffinityTerm, Integer>> terms = new HashMap<>();
        for (PodRequests each : repelling) {
            for (AntiAffinityTerm term : each.antiAffinity()) {
                for (String namespace : term.namespaces().isEmpty() ? List.of("") : term.namespaces()) {
                    terms.computeIfAbsent(namespace, none -> new HashMap<>()).merge(term, 1, Integer::sum);
                }
            }
        }
        return terms;
    }

    private void validateSlot(int slot) {
        for (String resource : resources) {
            long counted = free(slot, resource);
            int number = store.requests.findResource(resource);
            expect(number != RequestTable.NONE, true, "number of " + resource);
            expect(store.resources.free(number, slot), counted, "free " + resource + " on slot " + slot);
            if (!resource.equals("pods")) {
                expect(store.resources.carriers(number), carriers.getOrDefault(resource, 0), "carriers of " + resource);
            }
        }
        expect(store.resources.nonZeroCpu(slot), nonZeroCpu.getOrDefault(slot, 0L), "non-zero cpu on slot " + slot);
        expect(
                store.resources.nonZeroMemory(slot),
                nonZeroMemory.getOrDefault(slot, 0L),
                "non-zero memory on slot " + slot);
        expect(countsOf(store.resources.ports(slot)), countsOf(portsOfSlot.get(slot)), "host ports on slot " + slot);
    }

    private void validate(NodeFit fit) {
        fit.catchUp();
        freeOfSlot.keySet().forEach(slot -> {
            boolean fits = true;
            for (int kind = 0; kind < fit.kinds(); kind++) {
                boolean lacks = fit.asked(kind) > free(slot, fit.resource(kind));
                expect(NodeBits.get(fit.lacking(kind), slot), lacks, fit.message(kind) + " on slot " + slot);
                fits &= !lacks;
            }
            expect(NodeBits.get(fit.fitting(), slot), fits, "fit on slot " + slot);
        });
    }

    private long free(int slot, String resource) {
        return Objects.requireNonNull(freeOfSlot.get(slot)).getOrDefault(resource, 0L);
    }

    private static Map<PodRequests, Integer> countsOf(@Nullable List<PodRequests> ports) {
        Map<PodRequests, Integer> counts = new HashMap<>();
        Objects.requireNonNull(ports).forEach(each -> counts.merge(each, 1, Integer::sum));
        return counts;
    }

    private static void expect(Object actual, Object counted, String what) {
        if (!actual.equals(counted)) {
            throw new IllegalStateException(what + ": stored " + actual + ", counted " + counted);
        }
    }
}
