package io.evenkeel.engine.victims;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.skew.ConstraintQuestions;
import io.evenkeel.engine.skew.PodsByClass;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import org.agrona.collections.IntHashSet;

/** Describes the pods of a controller as {@link Deletions}, and finds the pods again by their kind. Not thread-safe. */
final class SpotReader {
    private final PodsByClass pods;
    private final List<ConstraintQuestions.Question> questions;
    private final StopSignal stop;
    private final List<Kind> kinds = new ArrayList<>();
    private final int[][] counts;
    private final int[][] spotsIn;

    /**
     * A pod that can be deleted.
     *
     * @param place the place of its class
     * @param slot the slot on which it counts, or NONE
     * @param stage when its controller deletes it
     */
    record ScaledPod(int pod, String name, int place, int slot, int stage) {}

    /** The pods that count in the same way, the first to be taken first. */
    private record Spot(ScaledPod example, Queue<ScaledPod> pods) {}

    /** The spots that can replace each other, by how many pods they have. */
    private static final class Kind {
        final int[] domain;
        final int[] base;
        final int stage;
        final Map<Integer, Queue<Spot>> spots = new HashMap<>();
        int most;

        Kind(int stage, int[] domain, int[] base) {
            this.stage = stage;
            this.domain = domain;
            this.base = base;
        }

        void add(Spot spot) {
            spots.computeIfAbsent(
                            spot.pods.size(),
                            size -> new PriorityQueue<>(Comparator.comparing(each -> each.pods.isEmpty()
                                    ? ""
                                    : each.pods.element().name())))
                    .add(spot);
            most = Math.max(most, spot.pods.size());
        }
    }

    SpotReader(
            PodsByClass pods, List<ConstraintQuestions.Question> questions, List<ScaledPod> scaled, StopSignal stop) {
        this.pods = pods;
        this.questions = questions;
        this.stop = stop;
        counts = new int[questions.size()][];
        spotsIn = new int[questions.size()][];
        List<Spot> spots = spots(scaled);
        IntHashSet[] matched = new IntHashSet[questions.size()];
        for (int c = 0; c < counts.length; c++) {
            matched[c] = new IntHashSet();
            matched[c].addAll(questions.get(c).places());
            counts[c] = counts(questions.get(c));
            spotsIn[c] = new int[counts[c].length];
            for (Spot spot : spots) {
                int domain = domain(c, spot, matched[c]);
                if (domain >= 0) {
                    spotsIn[c][domain]++;
                }
            }
        }
        Map<List<Integer>, Kind> known = new LinkedHashMap<>();
        for (Spot spot : spots) {
            stop.check();
            int[] domain = new int[counts.length];
            int[] base = new int[counts.length];
            List<Integer> key = new ArrayList<>();
            key.add(spot.example.stage);
            for (int c = 0; c < counts.length; c++) {
                domain[c] = domain(c, spot, matched[c]);
                if (domain[c] >= 0 && spotsIn[c][domain[c]] == 1) {
                    base[c] = counts[c][domain[c]] - spot.pods.size();
                    domain[c] = Deletions.PRIVATE;
                }
                key.add(domain[c]);
                key.add(base[c]);
            }
            known.computeIfAbsent(key, none -> new Kind(spot.example.stage, domain, base))
                    .add(spot);
        }
        kinds.addAll(known.values());
    }

    /** Groups pods. A pod that is on no known node is a separate spot, because it counts nowhere. */
    private static List<Spot> spots(List<ScaledPod> scaled) {
        Map<List<Integer>, Spot> spots = new LinkedHashMap<>();
        scaled.stream()
                .sorted(Comparator.comparing(ScaledPod::name))
                .forEach(pod -> spots.computeIfAbsent(
                                List.of(pod.place, pod.slot, pod.stage, pod.slot == NodeSlots.NONE ? pod.pod : 0),
                                none -> new Spot(pod, new ArrayDeque<>()))
                        .pods
                        .add(pod));
        return List.copyOf(spots.values());
    }

    /** The counts of all domains of a constraint. */
    private int[] counts(ConstraintQuestions.Question question) {
        EligibleDomains domains = question.domains();
        int[] counted = new int[domains.topology.domainLimit()];
        for (int i = 0; i < question.places().size(); i++) {
            stop.check();
            int place = question.places().getInt(i);
            for (int at = pods.begin(place); at < pods.begin(place + 1); at++) {
                int slot = pods.slots()[at];
                if (slot != NodeSlots.NONE && domains.eligibility.holds(slot)) {
                    counted[domains.topology.domainOf(slot)]++;
                }
            }
        }
        return counted;
    }

    private int domain(int constraint, Spot spot, IntHashSet matched) {
        EligibleDomains domains = questions.get(constraint).domains();
        int slot = spot.example.slot;
        return slot == NodeSlots.NONE || !domains.eligibility.holds(slot) || !matched.contains(spot.example.place)
                ? Deletions.UNCOUNTED
                : domains.topology.domainOf(slot);
    }

    /** The pods in numbers. */
    Deletions deletions() {
        int constraints = counts.length;
        int[][] numberOf = new int[constraints][];
        int[][] resting = new int[constraints][];
        int[][] shared = new int[constraints][];
        int[] maxSkew = new int[constraints];
        boolean[] zero = new boolean[constraints];
        for (int c = 0; c < constraints; c++) {
            EligibleDomains domains = questions.get(c).domains();
            SpreadConstraint source = questions.get(c).source();
            maxSkew[c] = source == null ? Integer.MAX_VALUE : source.maxSkew();
            zero[c] = source != null && domains.domains() < source.minDomains();
            resting[c] = resting(c);
            numberOf[c] = new int[counts[c].length];
            shared[c] = new int[counts[c].length];
            int shares = 0;
            for (int domain = 0; domain < counts[c].length; domain++) {
                if (spotsIn[c][domain] > 1) {
                    numberOf[c][domain] = shares;
                    shared[c][shares++] = counts[c][domain];
                }
            }
            shared[c] = Arrays.copyOf(shared[c], shares);
        }
        int[] begin = new int[kinds.size() + 1];
        for (int k = 0; k < kinds.size(); k++) {
            begin[k + 1] = begin[k] + kinds.get(k).most + 1;
            for (int c = 0; c < constraints; c++) {
                int[] domain = kinds.get(k).domain;
                domain[c] = domain[c] >= 0 ? numberOf[c][domain[c]] : domain[c];
            }
        }
        int[] cells = new int[begin[kinds.size()]];
        for (int k = 0; k < kinds.size(); k++) {
            int first = begin[k];
            kinds.get(k).spots.forEach((size, spots) -> cells[first + size] = spots.size());
        }
        return new Deletions(
                kinds.stream().mapToInt(kind -> kind.stage).toArray(),
                begin,
                kinds.stream().map(kind -> kind.domain).toArray(int[][]::new),
                kinds.stream().map(kind -> kind.base).toArray(int[][]::new),
                maxSkew,
                zero,
                resting,
                shared,
                cells);
    }

    /** See {@link Deletions}. */
    private int[] resting(int constraint) {
        EligibleDomains domains = questions.get(constraint).domains();
        Topology topology = domains.topology;
        boolean[] seen = new boolean[counts[constraint].length];
        int lowest = Integer.MAX_VALUE;
        int highest = -1;
        int fullest = 0;
        for (int slot = 0; slot < topology.domainsBySlot().length; slot++) {
            if (!domains.eligibility.holds(slot)) {
                continue;
            }
            int domain = topology.domainOf(slot);
            if (spotsIn[constraint][domain] == 0 && !seen[domain]) {
                seen[domain] = true;
                int count = counts[constraint][domain];
                lowest = Math.min(lowest, count);
                fullest = count > highest ? 1 : count == highest ? fullest + 1 : fullest;
                highest = Math.max(highest, count);
            }
        }
        return highest < 0 ? new int[0] : new int[] {lowest, highest, fullest};
    }

    /** Takes a pod of a spot of a kind that has {@code size} pods: of those, the first by name. */
    ScaledPod take(int kind, int size) {
        Kind of = kinds.get(kind);
        Spot spot = Objects.requireNonNull(of.spots.get(size)).remove();
        ScaledPod pod = spot.pods.remove();
        of.add(spot);
        return pod;
    }
}
