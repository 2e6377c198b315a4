package io.evenkeel.engine.skew;

import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.agrona.collections.IntArrayList;

/**
 * Counts how the pods of workloads are spread, namespace by namespace, because selectors match pods of one namespace
 * only. It has a copy of the state to itself, so that it needs no lock.
 */
public final class WorkloadSurvey {
    private final ClusterStore store;
    private final ClusterView cluster;
    private final WorkloadReader reader;
    private final StopSignal stop;

    /**
     * @param store a copy that nothing else uses; its index gets new parts
     * @param stop reports when to stop
     */
    public WorkloadSurvey(ClusterStore store, WorkloadReader reader, StopSignal stop) {
        this.store = store;
        this.cluster = new ClusterView(store);
        this.reader = reader;
        this.stop = stop;
    }

    /**
     * Counts.
     *
     * @param namespaces of which namespaces
     * @param known what a survey of an earlier state of the same engine read
     * @param lists the workloads whose domains are listed
     * @param listing gets the number of domains before each list of them is made, and may throw
     */
    public SurveyedWorkloads count(
            Predicate<String> namespaces, KnownWorkloads known, Predicate<WorkloadName> lists, IntConsumer listing) {
        PodsByClass pods = new PodsByClass(store, stop);
        Map<Namespace, IntArrayList> placesIn = placesIn(pods);
        Map<String, NamespaceWorkloads> read = new HashMap<>();
        Map<String, Set<String>> serviceKeys = null;
        List<WorkloadCounts> workloads = new ArrayList<>();
        DomainCounter counter = new DomainCounter(cluster, pods);
        for (Map.Entry<Namespace, IntArrayList> each : placesIn.entrySet()) {
            Namespace namespace = each.getKey();
            IntArrayList places = each.getValue();
            if (!namespaces.test(namespace.name)) {
                continue;
            }
            long classes = namespace.classesVersion();
            long owners = cluster.ownersVersion(namespace.name);
            NamespaceWorkloads there = known.in(namespace.name);
            if (there == null || !there.isOf(classes, owners, pods, places)) {
                serviceKeys = serviceKeys == null ? serviceKeys(store.owners) : serviceKeys;
                Set<String> keys = new HashSet<>(serviceKeys.getOrDefault(namespace.name, Set.of()));
                keys.addAll(reader.keys());
                NamespaceWorkloads empty = new NamespaceWorkloads(classes, owners);
                there = new NamespaceReader(store, cluster, reader, pods, places, keys, empty).read(stop);
            }
            read.put(namespace.name, there);
            new NamespaceSurvey(store.index, there, counter).count(pods, places, lists, listing, stop, workloads);
        }
        // toUnmodifiableSet would search one cell after another if names have equal String.hashCode.
        return new SurveyedWorkloads(
                store.revision(),
                store.versions,
                placesIn.keySet().stream().map(namespace -> namespace.name).collect(Collectors.toSet()),
                workloads,
                new KnownWorkloads(read));
    }

    private Map<Namespace, IntArrayList> placesIn(PodsByClass pods) {
        Map<Namespace, IntArrayList> placesIn = new LinkedHashMap<>();
        for (int place = 0; place < pods.size(); place++) {
            placesIn.computeIfAbsent(store.classes.namespaceOf(pods.labelClass(place)), namespace -> new IntArrayList())
                    .addInt(place);
        }
        return placesIn;
    }

    /** By namespace, the keys of the labels by which services select pods. */
    private static Map<String, Set<String>> serviceKeys(OwnerTable owners) {
        Map<String, Set<String>> keys = new HashMap<>();
        for (Iterator<OwnerObject> services = owners.of(ObjectKind.SERVICE); services.hasNext(); ) {
            OwnerObject service = services.next();
            if (service.selector() != null) {
                Set<String> there = keys.computeIfAbsent(service.namespace(), namespace -> new HashSet<>());
                service.selector().requirements().stream()
                        .map(LabelRequirement::key)
                        .forEach(there::add);
            }
        }
        return keys;
    }
}
