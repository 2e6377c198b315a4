package io.evenkeel.eviction;

import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.FedObjects;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ResourceVersionReader;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a cluster that an instance follows, with what an instance does not keep: phase, readiness and name of the
 * controller; and its disruption budgets. Thread-safe; the feed's threads change it.
 *
 * <pre>
 *   pods     UID of a pod → the pod
 *   owned    UID of a controller → UID of a pod → the pod
 *   labels   those that pods with equal labels share
 *   listed   UIDs in the list of pods that is arriving
 *   version  the version of the newest pod; the instance gets each pod just after it is here
 * </pre>
 */
public final class LiveCluster implements FedObjects, KubeFeedListener {
    /** A kind that cannot be read for this long, before the first time, ends the command. */
    private static final Duration UNREADABLE = Duration.ofSeconds(10);

    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Parser<Pod> POD = DiscardUnknownFieldsParser.wrap(Pod.parser());

    /** Why a kind is not followed, and since when. */
    private record Problem(String text, Instant since) {}

    private final Predicate<Pod> kept;
    private final Consumer<String> warnings;
    private final Map<String, LivePod> pods = new HashMap<>();
    private final Map<String, Map<String, LivePod>> owned = new HashMap<>();
    private final Interner<Map<String, String>> labels = Interners.newWeakInterner();
    private final Set<String> listed = new HashSet<>();
    private final LiveBudgets budgets = new LiveBudgets();
    private final Map<ObjectKind, Problem> problems = new EnumMap<>(ObjectKind.class);
    private @Nullable ClusterStateHandler state;
    private long version;
    private long changes;
    private boolean isListing;
    private boolean wasReady;
    private boolean stopped;

    /**
     * @param kept which pods are kept here; the instance gets all
     * @param warnings receives a line for each object that is skipped, and when an outage begins after the first list
     */
    public LiveCluster(Predicate<Pod> kept, Consumer<String> warnings) {
        this.kept = kept;
        this.warnings = warnings;
    }

    /** Begins to follow a cluster. */
    public synchronized KubeFeed follow(ClusterStateHandler fed, ClusterAccess access) {
        state = fed;
        return KubeFeed.start(fed, Limits.builder().build().events(), access, this, this);
    }

    private ClusterStateHandler state() {
        ClusterStateHandler fed = state;
        if (fed == null) {
            throw new IllegalStateException("no cluster is followed");
        }
        return fed;
    }

    /**
     * Waits until calls can be answered, and disruption budgets are known unless they cannot be read.
     *
     * @throws CommandFailure if a kind cannot be read
     */
    public synchronized void awaitReady() throws CommandFailure, InterruptedIOException {
        while (!isReady()) {
            for (Map.Entry<ObjectKind, Problem> each : problems.entrySet()) {
                if (ObjectKind.OF_PLACEMENT.contains(each.getKey())
                        && each.getValue().since().plus(UNREADABLE).isBefore(Instant.now())) {
                    throw new CommandFailure("--kube: " + each.getValue().text());
                }
            }
            await(LOOK);
        }
        wasReady = true;
    }

    private boolean isReady() {
        return state().isReady()
                && (state().feed(ObjectKind.POD_DISRUPTION_BUDGET).isReady()
                        || problems.containsKey(ObjectKind.POD_DISRUPTION_BUDGET));
    }

    /**
     * Waits until the instance has every pod that is here.
     *
     * @return null, or why it does not have them in time
     */
    synchronized @Nullable String awaitApplied(Duration most) throws InterruptedIOException {
        long wanted = version;
        long begun = System.nanoTime();
        while (!stopped && state().feed(ObjectKind.POD).version() < wanted) {
            if (System.nanoTime() - begun > most.toNanos()) {
                String problem = problem();
                String obstacle = state().feed(ObjectKind.POD).versionObstacle();
                return problem != null
                        ? problem
                        : "failed to follow the pods of the API server: "
                                + (obstacle == null ? "the newest one has not been accepted" : obstacle);
            }
            await(Duration.ofMillis(10));
        }
        return null;
    }

    /** Why nodes or pods are not followed now; null if they are. */
    synchronized @Nullable String problem() {
        for (ObjectKind kind : List.of(ObjectKind.POD, ObjectKind.NODE)) {
            Problem problem = problems.get(kind);
            if (problem != null) {
                return problem.text();
            }
        }
        return null;
    }

    /** The pod with this UID; null if there is none. */
    synchronized @Nullable LivePod pod(String uid) {
        return pods.get(uid);
    }

    /** The pods of a controller. */
    synchronized Collection<LivePod> ownedBy(String controller) {
        return List.copyOf(owned.getOrDefault(controller, Map.of()).values());
    }

    /** Why the disruption budgets do not allow to evict these pods now; null if they do. */
    @Nullable
    String budgetObstacle(Collection<LivePod> evicted) {
        return budgets.obstacle(evicted);
    }

    private synchronized void wake() {
        changes++;
        notifyAll();
    }

    /** Waits for this time, or until something changes or the command is to stop. */
    synchronized void await(Duration most) throws InterruptedIOException {
        long before = changes;
        long end = System.nanoTime() + most.toNanos();
        try {
            for (long left = most.toMillis(); !stopped && changes == before && left > 0; ) {
                wait(left);
                left = (end - System.nanoTime()) / 1_000_000;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Waits for this time, or until the command is to stop. */
    synchronized void pause(Duration time) throws InterruptedIOException {
        long end = System.nanoTime() + time.toNanos();
        while (!stopped && System.nanoTime() < end) {
            await(Duration.ofNanos(end - System.nanoTime()));
        }
    }

    /** Ends all waits, now and later. */
    public synchronized void stop() {
        stopped = true;
        wake();
    }

    synchronized boolean isStopped() {
        return stopped;
    }

    // ---- called by the feed

    @Override
    public synchronized void changed(KindState now) {
        String problem = now.problem();
        if (problem == null) {
            problems.remove(now.kind());
        } else {
            if (wasReady && problems.isEmpty()) {
                warnings.accept(problem + "; retrying");
            }
            problems.merge(
                    now.kind(), new Problem(problem, now.since()), (old, given) -> new Problem(problem, old.since()));
        }
        wake();
    }

    @Override
    public void refused(ObjectKind kind, Refusal refusal) {
        warnings.accept(kind + " " + refusal.getObject() + " was skipped: "
                + refusal.getError().getMessage());
    }

    @Override
    public synchronized void listBegins(ObjectKind kind) {
        if (kind == ObjectKind.POD) {
            listed.clear();
            isListing = true;
        } else if (kind == ObjectKind.POD_DISRUPTION_BUDGET) {
            budgets.listBegins();
        }
    }

    @Override
    public synchronized void listEnds(ObjectKind kind) {
        if (kind == ObjectKind.POD) {
            List.copyOf(pods.values()).stream()
                    .filter(pod -> !listed.contains(pod.uid()))
                    .forEach(this::remove);
            listed.clear();
            isListing = false;
        } else if (kind == ObjectKind.POD_DISRUPTION_BUDGET) {
            budgets.listEnds();
        }
        wake();
    }

    @Override
    public void put(ObjectKind kind, byte[] bytes, int from, int to) {
        Pod pod = kind == ObjectKind.POD ? read(bytes, from, to) : null;
        if (pod != null) {
            put(pod);
        } else if (kind == ObjectKind.POD_DISRUPTION_BUDGET) {
            budgets.put(bytes, from, to);
            wake();
        }
    }

    private synchronized void put(Pod pod) {
        String uid = pod.getMetadata().getUid();
        if (isListing) {
            listed.add(uid);
        }
        LivePod before = pods.get(uid);
        LivePod now = LivePod.of(
                pod,
                labels.intern(pod.getMetadata().getLabelsMap()),
                before == null ? System.nanoTime() : before.seen());
        pods.put(uid, now);
        if (!now.ownerUid().isEmpty()) {
            owned.computeIfAbsent(now.ownerUid(), owner -> new HashMap<>()).put(uid, now);
        }
        reached(pod);
    }

    @Override
    public void deleted(ObjectKind kind, byte[] bytes, int from, int to) {
        Pod pod = kind == ObjectKind.POD ? read(bytes, from, to) : null;
        if (pod != null) {
            delete(pod);
        } else if (kind == ObjectKind.POD_DISRUPTION_BUDGET) {
            budgets.deleted(bytes, from, to);
            wake();
        }
    }

    private synchronized void delete(Pod pod) {
        LivePod last = pods.get(pod.getMetadata().getUid());
        if (last != null) {
            remove(last);
        }
        reached(pod);
    }

    private void remove(LivePod pod) {
        pods.remove(pod.uid());
        owned.computeIfPresent(pod.ownerUid(), (owner, its) -> {
            its.remove(pod.uid());
            return its.isEmpty() ? null : its;
        });
    }

    private void reached(Pod pod) {
        version =
                Math.max(version, ResourceVersionReader.parse(pod.getMetadata().getResourceVersion()));
        wake();
    }

    /** The pod; null if it is not kept, or malformed, which the feed reports. */
    private @Nullable Pod read(byte[] bytes, int from, int to) {
        try {
            Pod pod = POD.parseFrom(bytes, from, to - from);
            return kept.test(pod) ? pod : null;
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }
}
