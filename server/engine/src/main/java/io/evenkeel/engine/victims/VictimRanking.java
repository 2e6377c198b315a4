package io.evenkeel.engine.victims;

import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.index.AffinityKey;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.plan.PlanSources;
import io.evenkeel.engine.skew.ConstraintCounts;
import io.evenkeel.engine.skew.ConstraintQuestions;
import io.evenkeel.engine.skew.DomainCounter;
import io.evenkeel.engine.skew.PodsByClass;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.engine.skew.WorkloadReader;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.IntHashSet;

/**
 * Ranks the pods of a controller as victims of a scale-down. It has a copy of the state to itself, so that it needs no
 * lock.
 */
public final class VictimRanking {
    private final ClusterStore store;
    private final ClusterView cluster;
    private final WorkloadReader reader;
    private final StopSignal stop;

    /**
     * @param store a copy that nothing else uses; its index gets new parts
     * @param stop reports when to stop
     */
    public VictimRanking(ClusterStore store, WorkloadReader reader, StopSignal stop) {
        this.store = store;
        this.cluster = new ClusterView(store);
        this.reader = reader;
        this.stop = stop;
    }

    /** Ranks. */
    public RankedVictims rank(VictimQuestion asked) {
        PodsByClass pods = new PodsByClass(store, stop);
        IntArrayList there = new IntArrayList();
        for (int place = 0; place < pods.size(); place++) {
            if (store.classes
                    .namespaceOf(pods.labelClass(place))
                    .name
                    .equals(asked.workload().namespace())) {
                there.addInt(place);
            }
        }
        TreeSet<WorkloadName> controllers = new TreeSet<>(Comparator.comparing(WorkloadName::name));
        IntArrayList own = new IntArrayList();
        List<WorkloadReader.Reading> readings = new ArrayList<>();
        for (int i = 0; i < there.size(); i++) {
            stop.check();
            WorkloadReader.Reading reading = reader.read(cluster.pod(pods.example(there.getInt(i))));
            WorkloadName controller = reading.controller();
            if (controller != null
                    && (asked.workload().equals(controller) || asked.workload().equals(reading.workload()))) {
                controllers.add(controller);
                own.addInt(there.getInt(i));
                readings.add(reading);
            }
        }
        String error = readings.stream()
                .map(WorkloadReader.Reading::error)
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElse("");
        List<SpotReader.ScaledPod> scaled = scaled(pods, own, asked);
        if (controllers.size() != 1 || !error.isEmpty()) {
            return new RankedVictims(
                    store.revision(),
                    store.versions,
                    List.copyOf(controllers),
                    scaled.size(),
                    error,
                    List.of(),
                    List.of());
        }
        List<ConstraintQuestions.Question> questions =
                questions(new ConstraintQuestions(store, pods, there), readings, own);
        IntHashSet isOwn = new IntHashSet();
        isOwn.addAll(own);
        DomainCounter counter = new DomainCounter(cluster, pods);
        List<ConstraintCounts> constraints = questions.stream()
                .map(question -> counter.count(question, isOwn::contains))
                .toList();
        SpotReader spots = new SpotReader(pods, questions, scaled, stop);
        Deletions deletions = spots.deletions();
        List<DeletionSearch.Deletion> order =
                new DeletionSearch(deletions, stop).run(Math.min(asked.count(), scaled.size()));
        return new RankedVictims(
                store.revision(),
                store.versions,
                List.copyOf(controllers),
                scaled.size(),
                "",
                constraints,
                victims(order, deletions, spots));
    }

    /** The pods to rank. */
    private List<SpotReader.ScaledPod> scaled(PodsByClass pods, IntArrayList own, VictimQuestion asked) {
        List<SpotReader.ScaledPod> scaled = new ArrayList<>();
        for (int i = 0; i < own.size(); i++) {
            int place = own.getInt(i);
            int pod = store.podsInClass.first(pods.labelClass(place));
            for (; pod != PodList.NONE; pod = store.podsInClass.next(pod)) {
                if (cluster.counts(pod)) {
                    String name = cluster.name(pod);
                    // A pod without a node comes before all others, whatever the caller knew of it.
                    int stage = cluster.isPlaced(pod) ? asked.stages().getOrDefault(name, Integer.MAX_VALUE) : -1;
                    scaled.add(new SpotReader.ScaledPod(pod, name, place, cluster.slotCountedOn(pod), stage));
                }
            }
        }
        return scaled;
    }

    /** The different constraints of the pods; what they are judged by if they have none. */
    private List<ConstraintQuestions.Question> questions(
            ConstraintQuestions constraints, List<WorkloadReader.Reading> readings, IntArrayList own) {
        List<ConstraintQuestions.Question> different = new ArrayList<>();
        AffinityKey affinity = AffinityKey.NONE;
        for (WorkloadReader.Reading reading : readings) {
            if (reading.pod() == null) {
                continue;
            }
            PlanSources sources = PlanSources.of(reading.pod(), reading.defaults(), cluster);
            affinity = PlanSources.affinityOf(sources.pod());
            for (ConstraintQuestions.Question each : constraints.of(sources, affinity)) {
                if (different.stream().noneMatch(known -> isSame(known, each))) {
                    different.add(each);
                }
            }
        }
        return different.isEmpty() ? constraints.usual(affinity, own) : different;
    }

    private static boolean isSame(ConstraintQuestions.Question one, ConstraintQuestions.Question other) {
        return one.domains() == other.domains()
                && Objects.equals(one.source(), other.source())
                && Objects.equals(one.selector(), other.selector());
    }

    /** Names a pod for each deletion. */
    private List<RankedVictims.Victim> victims(
            List<DeletionSearch.Deletion> order, Deletions deletions, SpotReader spots) {
        List<RankedVictims.Victim> victims = new ArrayList<>();
        Deletions.State state = new Deletions.State(deletions);
        for (DeletionSearch.Deletion each : order) {
            state.delete(each.kind(), each.pods());
            List<Integer> skews = new ArrayList<>();
            for (int constraint = 0; constraint < deletions.constraints(); constraint++) {
                skews.add(state.skew(constraint));
            }
            int pod = spots.take(each.kind(), each.pods()).pod();
            victims.add(new RankedVictims.Victim(
                    cluster.uid(pod), cluster.name(pod), cluster.pod(pod).nodeName(), skews));
        }
        return victims;
    }
}
