package io.evenkeel.engine.skew;

import io.evenkeel.engine.index.AffinityKey;
import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.plan.PlanSources;
import io.evenkeel.engine.skew.NamespaceWorkloads.Domains;
import io.evenkeel.engine.skew.NamespaceWorkloads.Question;
import io.evenkeel.engine.skew.NamespaceWorkloads.Variant;
import io.evenkeel.engine.skew.NamespaceWorkloads.Workload;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Finds the workload and the constraints of each label class of one namespace. A pod of a template is read again only
 * if labels differ on which the reading depends.
 *
 * <pre>
 *   byTemplate   template → the keys of these labels → their values → variant
 * </pre>
 */
final class NamespaceReader {
    private static final IntArrayList NO_CLASSES = new IntArrayList();

    private final ClusterView cluster;
    private final WorkloadReader reader;
    private final PodsByClass pods;
    private final IntArrayList places;
    private final Set<String> keys;
    private final int[] keyIds;
    private final ClassLookup lookup;
    private final NamespaceWorkloads read;
    private final Int2ObjectHashMap<Template> byTemplate = new Int2ObjectHashMap<>();
    private final Map<VariantKey, Variant> merged = new HashMap<>();
    private final Map<WorkloadName, Workload> workloads = new HashMap<>();
    private final Map<Domains, Integer> domains = new HashMap<>();

    /**
     * @param places the classes of the namespace
     * @param keys the keys of the labels on which workloads, and the selectors of default constraints, can depend
     * @param empty gets what is read
     */
    NamespaceReader(
            ClusterStore store,
            ClusterView cluster,
            WorkloadReader reader,
            PodsByClass pods,
            IntArrayList places,
            Set<String> keys,
            NamespaceWorkloads empty) {
        this.cluster = cluster;
        this.reader = reader;
        this.pods = pods;
        this.places = places;
        this.keys = keys;
        keyIds = ids(keys);
        IntArrayList classes = new IntArrayList();
        for (int i = 0; i < places.size(); i++) {
            classes.addInt(pods.labelClass(places.getInt(i)));
        }
        lookup = new ClassLookup(store, classes);
        read = empty;
    }

    /** What the variants of a template differ in. */
    private static final class Template {
        final int[] keys;
        final Map<List<Integer>, Variant> byValues = new HashMap<>();

        Template(int[] keys) {
            this.keys = keys;
        }
    }

    private record VariantKey(
            @Nullable WorkloadName workload,
            String revision,
            List<SpreadConstraint> constraints,
            List<@Nullable PodSelector> selectors,
            AffinityKey affinity,
            List<TaintToleration> tolerations,
            String error) {
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(workload, revision, constraints, selectors, affinity, tolerations, error);
        }
    }

    /** Reads the pods of all classes. */
    NamespaceWorkloads read(StopSignal stop) {
        for (int i = 0; i < places.size(); i++) {
            stop.check();
            int place = places.getInt(i);
            Variant variant = variant(place);
            read.byClass.put(pods.labelClass(place), variant);
            if (variant.of != null) {
                variant.of.classes.addInt(pods.labelClass(place));
            }
        }
        return read;
    }

    private Variant variant(int place) {
        int labelClass = pods.labelClass(place);
        int id = cluster.templateId(labelClass);
        Template template = byTemplate.get(id);
        WorkloadReader.Reading reading = null;
        if (template == null) {
            reading = reader.read(cluster.pod(pods.example(place)));
            template = new Template(keysOf(reading));
            byTemplate.put(id, template);
        }
        List<Integer> values = values(labelClass, template.keys);
        Variant variant = template.byValues.get(values);
        if (variant == null) {
            variant = merged(reading == null ? reader.read(cluster.pod(pods.example(place))) : reading);
            template.byValues.put(values, variant);
        }
        return variant;
    }

    /** The ids of the keys on whose values the reading of a pod with the same template depends. */
    private int[] keysOf(WorkloadReader.Reading reading) {
        Set<String> more = null;
        if (reading.pod() != null) {
            for (SpreadConstraint constraint : reading.pod().constraints()) {
                if (!keys.containsAll(constraint.matchLabelKeys())) {
                    more = more == null ? new HashSet<>(keys) : more;
                    more.addAll(constraint.matchLabelKeys());
                }
            }
        }
        return more == null ? keyIds : ids(more);
    }

    private int[] ids(Set<String> texts) {
        return texts.stream()
                .mapToInt(cluster::findText)
                .filter(key -> key != StringTable.NONE)
                .toArray();
    }

    private List<Integer> values(int labelClass, int[] named) {
        List<Integer> values = new ArrayList<>(named.length);
        for (int key : named) {
            values.add(cluster.labelValue(labelClass, key));
        }
        return values;
    }

    private Variant merged(WorkloadReader.Reading reading) {
        PlanSources sources = reading.pod() == null || reading.workload() == null
                ? null
                : PlanSources.of(reading.pod(), reading.defaults(), cluster);
        List<@Nullable PodSelector> selectors = new ArrayList<>();
        if (sources != null) {
            for (SpreadConstraint constraint : sources.constraints()) {
                selectors.add(sources.selector(constraint));
            }
        }
        AffinityKey affinity = sources == null ? AffinityKey.NONE : PlanSources.affinityOf(sources.pod());
        VariantKey key = new VariantKey(
                reading.workload(),
                reading.revision(),
                sources == null ? List.of() : sources.constraints(),
                selectors,
                affinity,
                sources == null ? List.of() : sources.pod().tolerations(),
                reading.error());
        return merged.computeIfAbsent(key, none -> add(reading, sources, selectors, affinity));
    }

    private Variant add(
            WorkloadReader.Reading reading,
            @Nullable PlanSources sources,
            List<@Nullable PodSelector> selectors,
            AffinityKey affinity) {
        Workload of = reading.workload() == null ? null : workload(reading.workload());
        boolean fromDefaults = sources != null
                && sources.fromDefaults()
                && !sources.constraints().isEmpty();
        Variant variant = new Variant(read.variants++, of, reading, fromDefaults);
        if (of != null) {
            of.variants.add(variant);
        }
        if (of != null && sources != null) {
            for (int i = 0; i < selectors.size(); i++) {
                if (!of.isFreeOf(sources.constraints().get(i))) {
                    variant.questions.add(question(i, sources, selectors.get(i), affinity));
                }
            }
            if (selectors.isEmpty()) {
                ConstraintQuestions.USUAL.forEach(key -> variant.questions.add(question(key, affinity, of)));
            }
        }
        return variant;
    }

    private Workload workload(WorkloadName name) {
        Workload workload = workloads.get(name);
        if (workload == null) {
            workload = new Workload(name);
            workloads.put(name, workload);
            read.workloads.add(workload);
        }
        return workload;
    }

    private Question question(int index, PlanSources sources, @Nullable PodSelector selector, AffinityKey affinity) {
        SpreadConstraint source = sources.constraints().get(index);
        return new Question(
                index,
                source,
                source.topologyKey(),
                selector,
                domains(new Domains(
                        sources.domainsKind(source),
                        PlanSources.domainsKey(source),
                        sources.eligibility(source, affinity))),
                selector == null || selector.isEmpty() ? NO_CLASSES : lookup.matchedBy(selector));
    }

    /** The question for the pods of a workload without constraints. */
    private Question question(String key, AffinityKey affinity, Workload of) {
        Eligibility.Key eligibility = new Eligibility.Key(List.of(key), affinity, null);
        return new Question(
                ConstraintQuestions.NO_INDEX,
                null,
                key,
                null,
                domains(new Domains(Topology.Kind.LABEL, key, eligibility)),
                of.classes);
    }

    private int domains(Domains asked) {
        Integer known = domains.putIfAbsent(asked, read.domains.size());
        if (known == null) {
            read.domains.add(asked);
            return read.domains.size() - 1;
        }
        return known;
    }
}
