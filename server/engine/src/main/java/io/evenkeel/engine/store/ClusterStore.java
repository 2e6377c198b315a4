package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.AntiAffinities;
import io.evenkeel.engine.cluster.BudgetTable;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.cluster.DeletedPods;
import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeResources;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.cluster.PodColumns;
import io.evenkeel.engine.cluster.PodFetch;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.cluster.RequestTable;
import io.evenkeel.engine.cluster.Tombstones;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.PodKey;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.collections.IntArrayList;

/**
 * Holds the whole state of the engine: the tables of nodes, hosts, pods, owners and budgets, their labels, and the
 * index that counts pods. {@link ClusterChanges} changes it, and {@link ClusterView} shows it to readers.
 */
public final class ClusterStore {
    public final StringTable strings;
    public final NodeSlots nodes;
    public final HostTable hosts;
    public final Namespaces namespaces;
    public final LabelClasses classes;
    public final PodTable pods;
    public final RequestTable requests;
    public final AntiAffinities antiAffinities;
    public final PodColumns podColumns;
    public final ChangedPods changedPods = new ChangedPods();
    final PodFetch podFetch;
    public final DeletedPods deletedPods;
    public final PodList podsOnHost;
    public final PodList podsInClass;
    public final NodeResources resources;
    public final OwnerTable owners;
    public final BudgetTable budgets;
    public final SpreadIndex index;
    public final KindVersions versions;

    final Tombstones tombstones;
    final AssumedPods assumedPods;
    final PodTotals podTotals;
    final NamedObjects named = new NamedObjects();

    /** Also read without the lock. */
    private final AtomicLong revision = new AtomicLong();

    public ClusterStore(int narrowUpTo, int tombstoneLimit) {
        this(narrowUpTo, tombstoneLimit, Capacity.LARGEST);
    }

    public ClusterStore(int narrowUpTo, int tombstoneLimit, Capacity capacity) {
        nodes = new NodeSlots();
        namespaces = new Namespaces();
        requests = new RequestTable();
        antiAffinities = new AntiAffinities();
        owners = new OwnerTable();
        budgets = new BudgetTable();
        versions = new KindVersions();
        assumedPods = new AssumedPods();
        strings = new StringTable(capacity.textPages());
        hosts = new HostTable(strings, capacity.hosts());
        classes = new LabelClasses(strings, capacity.classPages());
        pods = new PodTable(strings, classes, capacity.pods());
        podColumns = new PodColumns(pods);
        podFetch = new PodFetch(namespaces, pods);
        podsOnHost = new PodList(hosts, pods, PodTable.HOST_LINKS);
        podsInClass = new PodList(classes, pods, PodTable.CLASS_LINKS);
        deletedPods = new DeletedPods(pods, tombstoneLimit);
        resources = new NodeResources(nodes, pods, podsOnHost, requests, antiAffinities);
        index = new SpreadIndex(strings, nodes, classes, resources, requests, narrowUpTo);
        tombstones = new Tombstones(tombstoneLimit);
        podTotals = new PodTotals(hosts, pods, podsOnHost);
    }

    /**
     * A copy of the tables, which then changes independently of them: what is large is shared until either side changes
     * it. The index is not copied: it is empty, and plans fill it again. Deletions of nodes, owners and budgets are not
     * remembered, because no feed reports to a copy.
     *
     * <p>Called while nothing writes to {@code other}. Two copies of one store must not be made at the same time.
     */
    public ClusterStore(ClusterStore other, int narrowUpTo) {
        nodes = new NodeSlots(other.nodes);
        namespaces = new Namespaces(other.namespaces);
        requests = new RequestTable(other.requests);
        antiAffinities = new AntiAffinities(other.antiAffinities);
        owners = new OwnerTable(other.owners);
        budgets = new BudgetTable(other.budgets);
        versions = other.versions.copy();
        assumedPods = new AssumedPods(other.assumedPods);
        strings = new StringTable(other.strings);
        hosts = new HostTable(other.hosts, strings);
        classes = new LabelClasses(other.classes, strings, namespaces);
        pods = new PodTable(other.pods, strings, classes);
        podColumns = new PodColumns(pods);
        podFetch = new PodFetch(namespaces, pods);
        podsOnHost = new PodList(hosts, pods, PodTable.HOST_LINKS);
        podsInClass = new PodList(classes, pods, PodTable.CLASS_LINKS);
        deletedPods = new DeletedPods(other.deletedPods, pods);
        resources = new NodeResources(other.resources, nodes, pods, podsOnHost, requests, antiAffinities);
        index = new SpreadIndex(strings, nodes, classes, resources, requests, narrowUpTo);
        tombstones = new Tombstones(0);
        podTotals = new PodTotals(other.podTotals, hosts, pods, podsOnHost);
        revision.set(other.revision.get());
    }

    /** Increases with every change that an answer or a status could show. It never decreases. */
    public long revision() {
        return revision.get();
    }

    void moveRevision() {
        revision.incrementAndGet();
    }

    /** How many pods count on a node. */
    public int countedPods() {
        return podTotals.counted();
    }

    /** How many pods are bound to, or assumed on, a name that no node has. */
    public int podsOnUnknownNodes() {
        return podTotals.onUnknownNodes();
    }

    /** How many pods count on a host because of an assumption, not an event. */
    public int assumedCount() {
        return assumedPods.size();
    }

    /** The slot of the node from which a pod takes resources, or NONE. Unlike for counts, it may be terminating. */
    public int slotTakenFrom(int pod) {
        int host = pods.host(pod);
        return host == PodTable.NONE || pods.is(pod, PodTable.FINISHED) ? NodeSlots.NONE : hosts.slot(host);
    }

    /** The slot on which a pod counts, or NONE. */
    public int slotCountedOn(int pod) {
        int host = pods.host(pod);
        return host == PodTable.NONE || !pods.counts(pod) ? NodeSlots.NONE : hosts.slot(host);
    }

    /** Adds the pods that a key names to {@code found}: at most one by UID, perhaps several by name. */
    public void find(PodKey key, IntArrayList found) {
        if (key.isByUid()) {
            int pod = pods.find(key);
            if (pod != PodTable.NONE) {
                found.addInt(pod);
            }
            return;
        }
        Namespace namespace = namespaces.find(key.namespace());
        if (namespace != null) {
            pods.findByName(namespace, key.name().getBytes(StandardCharsets.UTF_8), found);
        }
    }
}
