package io.evenkeel.placement.answer;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.watch.PlanWatch;
import io.evenkeel.engine.watch.PlanWatches;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.PendingPod;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import io.evenkeel.v1.WatchedPod;
import io.evenkeel.v1.WatchedPodState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pods that one stream of WatchUnblocked watches, and what is still to be sent about them.
 *
 * <pre>
 *   entries    key ─► pod
 *   kinds      pod as the engine sees it, defaults ─► the pods of that kind, whose plan is watched once
 *   results    of added pods, in order                               sent first
 *   unblocked  pod ─► revision at which a node began to pass         by revision; each pod once
 * </pre>
 *
 * <p>One lock guards all of this, the watches of the engine and the outlet, so that a writer that has checked the pods
 * has also sent what it found, or left it to a caller that does not read. Threads that hold it may take the engine's
 * lock, but not the other way round. Plans are compiled without it. Thread-safe, but {@link #handle} must be called for
 * one message after another.
 */
public final class WatchedVerdicts implements AutoCloseable {
    private static final int MAX_KEY_BYTES = 512;

    /** With the longest keys, a response has half of the 4 MiB that clients accept by default. */
    private static final int MAX_IN_RESPONSE = 4_096;

    /** Sends responses. Called by one thread at a time, with the lock of the pods. It must not block. */
    public interface Outlet {
        /** Whether the caller reads what is sent. When it does so again, {@link #flush} must be called. */
        boolean isReady();

        void send(WatchUnblockedResponse response);

        /** Ends the stream, because its pods can no longer be watched. */
        void fail(Throwable why);
    }

    /** What the plan of a pod is compiled from. */
    private record KindKey(IncomingPod pod, SpreadDefaults defaults) {}

    /** The watched pods with equal plans. */
    private static final class Kind {
        final KindKey key;
        final PlanWatch watch;
        final Set<Entry> pods = new LinkedHashSet<>();

        Kind(KindKey key, PlanWatch watch) {
            this.key = key;
            this.watch = watch;
        }
    }

    /** A watched pod, which equals only itself. */
    private static final class Entry {
        final String key;
        final Kind kind;

        Entry(String key, Kind kind) {
            this.key = key;
            this.kind = kind;
        }
    }

    private record Result(long revision, WatchedPod pod) {}

    /** A kind whose watch has found a node. */
    private record Found(PlanWatch watch, long revision) {}

    private final QueryServices services;
    private final WatchRoom room;
    private final Outlet outlet;
    private final Consumer<WatchedVerdicts> atEnd;
    private final PlanWatches watches;
    private final Map<String, Entry> entries = new HashMap<>();
    private final Map<KindKey, Kind> kinds = new HashMap<>();
    private final IdentityHashMap<PlanWatch, Kind> kindOf = new IdentityHashMap<>();
    private final Deque<Result> results = new ArrayDeque<>();
    private final Map<Entry, Long> unblocked = new LinkedHashMap<>();
    private boolean closed;

    /** @param atEnd called when this is closed */
    WatchedVerdicts(QueryServices services, WatchRoom room, Outlet outlet, Consumer<WatchedVerdicts> atEnd) {
        this.services = services;
        this.room = room;
        this.outlet = outlet;
        this.atEnd = atEnd;
        watches = services.access().engine().planWatches();
    }

    /**
     * Adds and removes the pods of a message, and sends the results.
     *
     * @param stop called often, in this thread
     * @throws RequestException if the whole message is rejected; the stream must then end
     */
    public void handle(WatchUnblockedRequest request, StopSignal stop) {
        Limits limits = services.limits();
        services.access().requireReady();
        Limits.admit(request.getRemoveCount(), limits.names(), "remove");
        Limits.admit(request.getAddCount(), limits.pods(), "add");
        SpreadDefaults own = services.reader().ownDefaults(request.getDefaults(), "defaults");
        request.getRemoveList().forEach(this::remove);
        PodPlans.@Nullable Wanted[] wanted = new PodPlans.Wanted[request.getAddCount()];
        @Nullable ItemError[] errors = new ItemError[request.getAddCount()];
        long constraints = 0;
        for (int i = 0; i < wanted.length; i++) {
            stop.check();
            PendingPod pod = request.getAdd(i);
            errors[i] = wrong(pod);
            if (errors[i] == null) {
                try {
                    PodPlans.Wanted read = services.plans().read(pod.getPod(), EntryRules.FITTING, own);
                    constraints += read.constraints();
                    limits.admitConstraints(constraints, "add");
                    wanted[i] = read;
                } catch (InvalidObjectException e) {
                    errors[i] = ItemErrors.invalid(e, "pod");
                }
            }
        }
        try (PlanPins pins = services.pinPlans(stop)) {
            PodPlans.take(wanted.length, i -> wanted[i], pins, (why, i) -> errors[i] = ItemErrors.of(why));
            for (int i = 0; i < wanted.length; i++) {
                stop.check();
                add(request.getAdd(i).getKey(), wanted[i], errors[i]);
            }
        }
        flush();
    }

    private static @Nullable ItemError wrong(PendingPod pod) {
        int bytes = bytes(pod.getKey());
        if (bytes == 0 || bytes > MAX_KEY_BYTES) {
            return ItemErrors.invalid("key", "must have 1 to " + MAX_KEY_BYTES + " bytes, had " + bytes);
        }
        return pod.hasPod() ? null : ItemErrors.invalid("pod", "must be set");
    }

    private static int bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8).length;
    }

    private synchronized void add(String key, PodPlans.@Nullable Wanted wanted, @Nullable ItemError error) {
        if (closed) {
            return;
        }
        remove(key);
        WatchedPod.Builder result =
                WatchedPod.newBuilder().setKey(bytes(key) > MAX_KEY_BYTES ? Quotes.shortened(key) : key);
        long revision = services.access().engine().revision();
        if (wanted == null || error != null) {
            result.setError(Objects.requireNonNull(error));
        } else {
            try {
                Kind kind = kind(wanted.plan());
                revision = join(kind, key);
                result.setState(WatchedPodState.newBuilder()
                        .setPassedCount(kind.watch.passedCount())
                        .addAllUnjudged(UnjudgedRules.list(wanted.unjudged())));
            } catch (RequestException e) {
                result.setError(ItemErrors.of(e));
            }
        }
        results.add(new Result(revision, result.build()));
    }

    /** The kind of a pod that is about to be added, for which room is taken. */
    private Kind kind(PodPlan plan) {
        KindKey key = new KindKey(plan.pod(), plan.defaults());
        Kind known = kinds.get(key);
        room.takePod();
        return known == null ? newKind(key, plan) : known;
    }

    private Kind newKind(KindKey key, PodPlan plan) {
        boolean counted = false;
        boolean begun = false;
        try {
            room.takeKind();
            counted = true;
            Kind kind = new Kind(key, watches.watch(plan));
            kinds.put(key, kind);
            kindOf.put(kind.watch, kind);
            begun = true;
            return kind;
        } catch (PlanLimitException e) {
            throw RequestException.overLimit(e, "pod.spec.topologySpreadConstraints");
        } finally {
            if (!begun) {
                room.givePodsBack(1);
            }
            if (counted && !begun) {
                room.giveKindBack();
            }
        }
    }

    /** Adds a pod to a kind; returns the revision from which on it is watched. */
    private long join(Kind kind, String key) {
        Entry entry = new Entry(key, kind);
        entries.put(key, entry);
        // The pods that the kind has already may be unblocked by now.
        List<Found> found = new ArrayList<>();
        long revision = watches.check(kind.watch, (watch, at) -> found.add(new Found(watch, at)));
        note(found);
        kind.pods.add(entry);
        return revision;
    }

    /**
     * Finds and sends the pods that are unblocked. Called after each change of the state, before it is acknowledged.
     */
    void check() {
        synchronized (this) {
            if (entries.isEmpty()) {
                return;
            }
            try {
                List<Found> found = new ArrayList<>();
                watches.check((watch, at) -> found.add(new Found(watch, at)));
                note(found);
                flush();
            } catch (RuntimeException e) {
                // The change has been made, whatever happens to those who watch.
                outlet.fail(
                        e instanceof PlanLimitException full
                                ? RequestException.overLimit(full, "add.pod.spec.topologySpreadConstraints")
                                : e instanceof CapacityException noRoom ? RequestException.stateFull(noRoom) : e);
            }
        }
    }

    private void note(List<Found> found) {
        for (Found each : found) {
            for (Entry pod : Objects.requireNonNull(kindOf.get(each.watch)).pods) {
                // At the end, so that the revisions stay in order.
                unblocked.remove(pod);
                unblocked.put(pod, each.revision);
            }
        }
    }

    private synchronized void remove(String key) {
        Entry entry = entries.remove(key);
        if (entry == null) {
            return;
        }
        unblocked.remove(entry);
        room.givePodsBack(1);
        Kind kind = entry.kind;
        if (kind.pods.remove(entry) && kind.pods.isEmpty()) {
            end(kind);
        }
    }

    private void end(Kind kind) {
        kinds.remove(kind.key);
        kindOf.remove(kind.watch);
        watches.end(kind.watch);
        room.giveKindBack();
    }

    /** Whether everything is sent. */
    public synchronized boolean isFlushed() {
        return results.isEmpty() && unblocked.isEmpty();
    }

    /** Sends what is to be sent, as far as the caller reads it. */
    public synchronized void flush() {
        while (!isFlushed() && !closed && outlet.isReady()) {
            outlet.send(results.isEmpty() ? nextUnblocked() : nextResults());
        }
    }

    private WatchUnblockedResponse nextResults() {
        long revision = results.element().revision;
        WatchUnblockedResponse.Builder response = WatchUnblockedResponse.newBuilder()
                .setRevision(services.access().revision(revision));
        while (response.getAddedCount() < MAX_IN_RESPONSE
                && !results.isEmpty()
                && results.element().revision == revision) {
            response.addAdded(results.remove().pod);
        }
        return response.build();
    }

    private WatchUnblockedResponse nextUnblocked() {
        Iterator<Map.Entry<Entry, Long>> rest = unblocked.entrySet().iterator();
        Map.Entry<Entry, Long> next = rest.next();
        long revision = next.getValue();
        WatchUnblockedResponse.Builder response = WatchUnblockedResponse.newBuilder()
                .setRevision(services.access().revision(revision));
        while (next != null && next.getValue() == revision && response.getUnblockedCount() < MAX_IN_RESPONSE) {
            response.addUnblocked(next.getKey().key);
            rest.remove();
            next = rest.hasNext() ? rest.next() : null;
        }
        return response.build();
    }

    /** Ends all watches. Nothing is sent afterwards. */
    @Override
    public void close() {
        atEnd.accept(this);
        synchronized (this) {
            closed = true;
            room.givePodsBack(entries.size());
            entries.clear();
            unblocked.clear();
            results.clear();
            List.copyOf(kinds.values()).forEach(this::end);
        }
    }
}
