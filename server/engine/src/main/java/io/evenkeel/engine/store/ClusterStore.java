package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.AntiAffinities;
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
 * Holds the whole state of the engine: the tables of nodes, hosts, pods and owners, their labels, and the index that
 * counts pods. {@link ClusterChanges} changes it, and {@link ClusterView} shows it to readers.
 */
public final class ClusterStore {
    public final StringTable strings;
    public final NodeSlots nodes = new NodeSlots();
    public final HostTable hosts;
    public final Namespaces namespaces = new Namespaces();
    public final LabelClasses classes;
    public final PodTable pods;
    public final RequestTable requests = new RequestTable();
    public final AntiAffinities antiAffinities = new AntiAffinities();
    public final PodColumns podColumns;
    public final ChangedPods changedPods = new ChangedPods();
    final PodFetch podFetch;
    public final DeletedPods deletedPods;
    public final PodList podsOnHost;
    public final PodList podsInClass;
    public final NodeResources resources;
    public final OwnerTable owners = new OwnerTable();
    public final SpreadIndex index;
    public final KindVersions versions = new KindVersions();

    final Tombstones tombstones;
    final AssumedPods assumedPods = new AssumedPods();
    final PodTotals podTotals;
    final NamedObjects named = new NamedObjects();

    /** Also read without the lock. */
    private final AtomicLong revision = new AtomicLong();

    public ClusterStore(int narrowUpTo, int tombstoneLimit) {
        this(narrowUpTo, tombstoneLimit, Capacity.LARGEST);
    }

    public ClusterStore(int narrowUpTo, int tombstoneLimit, Capacity capacity) {
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
