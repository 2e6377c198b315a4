package io.evenkeel.eviction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The evictions of a batch, and the pods that come instead. The batch is complete once each controller has as many pods
 * that are scheduled, started and ready as before. Replacements are the pods of a controller that it did not have
 * before. Not thread-safe.
 */
final class Replacements {
    /**
     * A pod that leaves.
     *
     * @param predicted the node on which its replacement is expected; null if somebody else has deleted the pod
     * @param at when the API server accepted the eviction, or said that the pod is gone
     */
    private record Leaving(LivePod pod, @Nullable String predicted, long at) {}

    /** How many active pods of a controller have a node, have started and are ready. */
    private record Counts(int scheduled, int started, int ready) {
        static Counts of(Iterable<LivePod> pods) {
            int scheduled = 0;
            int started = 0;
            int ready = 0;
            for (LivePod pod : pods) {
                if (pod.isActive()) {
                    scheduled += pod.node().isEmpty() ? 0 : 1;
                    started += pod.isStarted() ? 1 : 0;
                    ready += pod.isReady() ? 1 : 0;
                }
            }
            return new Counts(scheduled, started, ready);
        }
    }

    /** A controller before its first eviction of the batch. */
    private record Before(String title, Counts counts, Set<String> uids) {}

    private final LiveCluster cluster;
    private final Duration timeout;
    private final Duration readyTimeout;
    private final List<Leaving> leaving = new ArrayList<>();
    private final Map<String, Before> owners = new LinkedHashMap<>();

    /** When a pod was first seen to have left, by UID; and when a controller's pods had all started, by UID. */
    private final Map<String, Long> since = new HashMap<>();

    /**
     * @param timeout how long a replacement may be missing or pending
     * @param readyTimeout how long a replacement that has started may not be ready
     */
    Replacements(LiveCluster cluster, Duration timeout, Duration readyTimeout) {
        this.cluster = cluster;
        this.timeout = timeout;
        this.readyTimeout = readyTimeout;
    }

    /** Notes the state of a pod's controller. Called before the pod is evicted. */
    void expect(LivePod pod) {
        owners.computeIfAbsent(pod.ownerUid(), owner -> {
            Set<String> uids = new HashSet<>();
            cluster.ownedBy(owner).forEach(each -> uids.add(each.uid()));
            return new Before(
                    "namespace " + pod.namespace() + ", " + pod.owner(), Counts.of(cluster.ownedBy(owner)), uids);
        });
    }

    /** Adds a pod that the API server has begun to evict. */
    void add(LivePod pod, String predicted) {
        leaving.add(new Leaving(pod, predicted, System.nanoTime()));
    }

    /** Adds a pod that somebody else has deleted. It is replaced, too. */
    void addGone(LivePod pod) {
        leaving.add(new Leaving(pod, null, System.nanoTime()));
    }

    /** How many pods are evicted. */
    int count() {
        return (int) leaving.stream().filter(each -> each.predicted() != null).count();
    }

    /**
     * Whether the batch is complete.
     *
     * @throws StalledException if something has lasted for too long
     */
    boolean isComplete() throws StalledException {
        long now = System.nanoTime();
        boolean complete = true;
        for (Leaving each : leaving) {
            LivePod there = cluster.pod(each.pod().uid());
            if (there == null) {
                since.putIfAbsent(each.pod().uid(), now);
            } else if (there.isActive()) {
                complete = false;
                if (lasts(each.at(), timeout, now)) {
                    throw new StalledException(
                            each.predicted() == null
                                    ? "the API server says that pod "
                                            + each.pod().title() + " is gone or has changed, but it is still there"
                                    : "pod " + each.pod().title() + " was evicted, but is not being deleted");
                }
            }
        }
        for (Map.Entry<String, Before> owner : owners.entrySet()) {
            complete &= isComplete(owner.getKey(), owner.getValue(), now);
        }
        return complete;
    }

    private boolean isComplete(String owner, Before before, long now) throws StalledException {
        List<Leaving> its = leaving.stream()
                .filter(each -> each.pod().ownerUid().equals(owner))
                .toList();
        List<LivePod> created = created(owner);
        Counts replacements = Counts.of(created);
        Counts counts = Counts.of(cluster.ownedBy(owner));
        // If the controller has been scaled down meanwhile, the number of pods is never reached again.
        boolean isStarted = counts.scheduled() >= before.counts().scheduled()
                        && counts.started() >= before.counts().started()
                || replacements.started() >= its.size();
        boolean isReady = counts.ready() >= before.counts().ready() || replacements.ready() >= its.size();
        if (!isStarted) {
            requireProgress(before, its, created, now);
        } else if (!isReady && lasts(since.computeIfAbsent(owner, key -> now), readyTimeout, now)) {
            throw new StalledException(before.title() + ": only " + counts.ready() + " pods are ready, but "
                    + before.counts().ready() + " were before the evictions; the replacements started "
                    + text(readyTimeout) + " ago");
        }
        return isStarted && isReady;
    }

    private void requireProgress(Before before, List<Leaving> its, List<LivePod> created, long now)
            throws StalledException {
        for (LivePod pod : created) {
            if (!pod.isStarted() && lasts(pod.seen(), timeout, now)) {
                String why = pod.obstacle();
                throw new StalledException("the replacement " + pod.title()
                        + (pod.node().isEmpty() ? "" : " on node " + pod.node())
                        + " has been pending for " + text(timeout)
                        + (why == null || why.isEmpty() ? "" : ": " + why));
            }
        }
        // Some controllers create another pod only when the old one has ended. One that fails is replaced again.
        Duration most = created.size() < its.size() ? timeout : timeout.multipliedBy(2);
        if (its.stream()
                .allMatch(each -> lasts(each.at(), most.plus(each.pod().grace()), now)
                        || lasts(since.getOrDefault(each.pod().uid(), now), most, now))) {
            throw new StalledException(
                    before.title() + ": " + text(most) + " after the evicted pods should have ended, "
                            + created.size() + " of " + its.size() + " are replaced, and "
                            + Counts.of(created).started() + " of the replacements have started" + terminating(its));
        }
    }

    private String terminating(List<Leaving> its) {
        List<String> terminating = its.stream()
                .filter(each -> cluster.pod(each.pod().uid()) != null)
                .map(each -> each.pod().title())
                .toList();
        return terminating.isEmpty() ? "" : "; still terminating: " + String.join(", ", terminating);
    }

    /** The active pods of a controller that it did not have before the batch. */
    private List<LivePod> created(String owner) {
        Before before = owners.get(owner);
        return cluster.ownedBy(owner).stream()
                .filter(pod ->
                        pod.isActive() && before != null && !before.uids().contains(pod.uid()))
                .sorted(Comparator.comparingLong(LivePod::seen).thenComparing(LivePod::name))
                .toList();
    }

    private static boolean lasts(long since, Duration most, long now) {
        return now - since >= most.toNanos();
    }

    private static String text(Duration time) {
        return time.toMillis() % 1_000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }

    /**
     * Each eviction with a replacement. Which one replaces which pod is not known, unless they have the same name, so a
     * replacement belongs to a pod of its controller that was expected on its node, if there is one.
     */
    List<Eviction> evictions() {
        Map<String, List<LivePod>> left = new HashMap<>();
        owners.keySet().forEach(owner -> left.put(owner, new ArrayList<>(created(owner))));
        Map<Leaving, LivePod> found = new HashMap<>();
        match(left, found, (each, pod) -> pod.name().equals(each.pod().name()));
        match(left, found, (each, pod) -> pod.node().equals(each.predicted()));
        match(left, found, (each, pod) -> true);
        List<Eviction> evictions = new ArrayList<>();
        for (Leaving each : leaving) {
            if (each.predicted() != null) {
                evictions.add(eviction(each.pod(), each.predicted(), found.get(each)));
            }
        }
        return evictions;
    }

    private interface Match {
        boolean fits(Leaving leaving, LivePod created);
    }

    private void match(Map<String, List<LivePod>> left, Map<Leaving, LivePod> found, Match match) {
        for (Leaving each : leaving) {
            List<LivePod> created = left.getOrDefault(each.pod().ownerUid(), List.of());
            if (!found.containsKey(each)) {
                created.stream()
                        .filter(pod -> match.fits(each, pod))
                        .findFirst()
                        .ifPresent(pod -> {
                            found.put(each, pod);
                            created.remove(pod);
                        });
            }
        }
    }

    private static Eviction eviction(LivePod pod, String predicted, @Nullable LivePod replacement) {
        return new Eviction(
                pod.title(),
                pod.node(),
                predicted,
                replacement == null ? null : replacement.name(),
                replacement == null ? "" : replacement.node());
    }
}
