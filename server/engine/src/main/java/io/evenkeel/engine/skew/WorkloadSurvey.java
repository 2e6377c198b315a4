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
     * @param lists the workloads whose domains are listed
     * @param listing gets the number of domains before each list of them is made, and may throw
     */
    public SurveyedWorkloads count(Predicate<String> namespaces, Predicate<WorkloadName> lists, IntConsumer listing) {
        PodsByClass pods = new PodsByClass(store, stop);
        Map<Namespace, IntArrayList> placesIn = new LinkedHashMap<>();
        for (int place = 0; place < pods.size(); place++) {
            placesIn.computeIfAbsent(store.classes.namespaceOf(pods.labelClass(place)), namespace -> new IntArrayList())
                    .addInt(place);
        }
        Map<String, Set<String>> serviceKeys = serviceKeys(store.owners);
        List<WorkloadCounts> workloads = new ArrayList<>();
        DomainCounter counter = new DomainCounter(cluster, pods);
        placesIn.forEach((namespace, places) -> {
            if (namespaces.test(namespace.name)) {
                Set<String> keys = new HashSet<>(serviceKeys.getOrDefault(namespace.name, Set.of()));
                keys.addAll(reader.keys());
                workloads.addAll(new NamespaceSurvey(store, cluster, reader, pods, places, keys, counter)
                        .count(lists, listing, stop));
            }
        });
        return new SurveyedWorkloads(
                store.revision(),
                store.versions,
                placesIn.keySet().stream().map(namespace -> namespace.name).collect(Collectors.toUnmodifiableSet()),
                workloads);
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
