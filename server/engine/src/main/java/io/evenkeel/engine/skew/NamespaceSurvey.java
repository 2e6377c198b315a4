package io.evenkeel.engine.skew;

import io.evenkeel.engine.index.AffinityKey;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.plan.PlanSources;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Counts how the pods of the workloads of one namespace are spread: first finds the workload and the constraints of
 * each label class, and then counts for each constraint.
 *
 * <pre>
 *   keysOf     template → the keys of the labels on which the reading of its pods depends
 *   known      template, values of these labels → variant
 *   variants   by place: that of the class; null if its pods have no controller
 * </pre>
 */
final class NamespaceSurvey {
    /** Has a pod on each node, so that its zones are as uneven as their nodes. */
    private static final String DAEMON_SET = "DaemonSet";

    private final ClusterView cluster;
    private final WorkloadReader reader;
    private final PodsByClass pods;
    private final IntArrayList places;
    private final Set<String> keys;
    private final DomainCounter counter;
    private final ConstraintQuestions questions;
    private final Int2ObjectHashMap<int[]> keysOf = new Int2ObjectHashMap<>();
    private final Map<List<Integer>, Variant> known = new HashMap<>();
    private final Map<VariantKey, Variant> merged = new HashMap<>();
    private final Map<WorkloadName, Workload> workloads = new LinkedHashMap<>();
    private final Int2ObjectHashMap<Variant> variants = new Int2ObjectHashMap<>();

    /**
     * @param places the classes of the namespace
     * @param keys the keys of the labels on which workloads, and the selectors of default constraints, can depend
     */
    NamespaceSurvey(
            ClusterStore store,
            ClusterView cluster,
            WorkloadReader reader,
            PodsByClass pods,
            IntArrayList places,
            Set<String> keys,
            DomainCounter counter) {
        this.cluster = cluster;
        this.reader = reader;
        this.pods = pods;
        this.places = places;
        this.keys = keys;
        this.counter = counter;
        questions = new ConstraintQuestions(store, pods, places);
    }

    /** A workload that is being surveyed. */
    private static final class Workload {
        final List<Variant> variants = new ArrayList<>();
        final IntArrayList places = new IntArrayList();
        final boolean isDaemonSet;
        int pods;
        int pending;

        Workload(WorkloadName name) {
            isDaemonSet = name.kind().equals(DAEMON_SET);
        }

        /** Whether its pods are judged if they have no constraints. */
        boolean shouldBeEven() {
            return pods > 1 && !isDaemonSet;
        }
    }

    /** Pods of a workload with the same revision and with constraints that count the same. */
    private static final class Variant {
        final @Nullable Workload of;
        final WorkloadReader.Reading reading;

        /** Null if the pods are invalid. */
        final @Nullable PlanSources sources;

        final AffinityKey affinity;

        int pods;
        int pending;

        Variant(
                @Nullable Workload of,
                WorkloadReader.Reading reading,
                @Nullable PlanSources sources,
                AffinityKey affinity) {
            this.of = of;
            this.reading = reading;
            this.sources = sources;
            this.affinity = affinity;
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

    /**
     * Counts.
     *
     * @param lists the workloads whose domains are listed
     * @param listing gets the number of domains before each list of them is made
     */
    List<WorkloadCounts> count(Predicate<WorkloadName> lists, IntConsumer listing, StopSignal stop) {
        for (int i = 0; i < places.size(); i++) {
            stop.check();
            add(places.getInt(i));
        }
        List<WorkloadCounts> counts = new ArrayList<>();
        workloads.forEach((name, workload) -> {
            stop.check();
            List<WorkloadCounts.Template> templates = workload.variants.stream()
                    .map(variant -> counts(variant, workload, lists.test(name) ? listing : null))
                    .toList();
            if (workload.shouldBeEven()
                    || templates.stream().anyMatch(each -> !each.constraints().isEmpty())) {
                counts.add(new WorkloadCounts(name, workload.pods, workload.pending, templates));
            }
        });
        return counts;
    }

    /** Adds the pods of a class to their workload. */
    private void add(int place) {
        Variant variant = variant(place);
        variants.put(place, variant);
        Workload workload = variant.of;
        if (workload != null) {
            int more = pods.pods(place);
            int pending = pods.pending(place);
            variant.pods += more;
            variant.pending += pending;
            workload.pods += more;
            workload.pending += pending;
            workload.places.addInt(place);
        }
    }

    private Variant variant(int place) {
        int labelClass = pods.labelClass(place);
        int template = cluster.templateId(labelClass);
        int[] named = keysOf.get(template);
        if (named == null) {
            WorkloadReader.Reading reading = reader.read(cluster.pod(pods.example(place)));
            named = keysOf(reading);
            keysOf.put(template, named);
            Variant variant = merged(reading);
            known.put(values(labelClass, template, named), variant);
            return variant;
        }
        List<Integer> values = values(labelClass, template, named);
        Variant variant = known.get(values);
        if (variant == null) {
            variant = merged(reader.read(cluster.pod(pods.example(place))));
            known.put(values, variant);
        }
        return variant;
    }

    /** The ids of the keys on whose values the reading of a pod with the same template depends. */
    private int[] keysOf(WorkloadReader.Reading reading) {
        Set<String> named = new HashSet<>(keys);
        if (reading.pod() != null) {
            for (SpreadConstraint constraint : reading.pod().constraints()) {
                named.addAll(constraint.matchLabelKeys());
            }
        }
        return named.stream()
                .mapToInt(cluster::findText)
                .filter(key -> key != StringTable.NONE)
                .toArray();
    }

    private List<Integer> values(int labelClass, int template, int[] named) {
        List<Integer> values = new ArrayList<>(named.length + 1);
        values.add(template);
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
            sources.constraints().forEach(constraint -> selectors.add(sources.selector(constraint)));
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
        return merged.computeIfAbsent(key, none -> {
            Workload of =
                    reading.workload() == null ? null : workloads.computeIfAbsent(reading.workload(), Workload::new);
            Variant variant = new Variant(of, reading, sources, affinity);
            if (of != null) {
                of.variants.add(variant);
            }
            return variant;
        });
    }

    private WorkloadCounts.Template counts(Variant variant, Workload workload, @Nullable IntConsumer listing) {
        PlanSources sources = variant.sources;
        List<DomainCounter.Question> asked = List.of();
        if (sources != null) {
            asked = questions.of(sources, variant.affinity);
            if (asked.isEmpty() && workload.shouldBeEven()) {
                asked = questions.usual(variant.affinity, workload.places);
            }
        }
        return new WorkloadCounts.Template(
                variant.reading.revision(),
                variant.pods,
                variant.pending,
                sources != null
                        && sources.fromDefaults()
                        && !sources.constraints().isEmpty(),
                asked.stream()
                        .map(question -> counter.count(
                                question, place -> Objects.requireNonNull(variants.get(place)).of == workload, listing))
                        .toList(),
                variant.reading.error());
    }
}
