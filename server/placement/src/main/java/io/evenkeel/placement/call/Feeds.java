package io.evenkeel.placement.call;

import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.ErrorReason;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The feeds of all kinds: decides which streams may start a snapshot, whether queries can be answered, and which
 * listeners to notify. {@link KindFeedState} has the state of each kind.
 *
 * <pre>
 *   no other stream feeds the kind              ──►  any stream may start a snapshot
 *   another does, with an active snapshot       ──►  SNAPSHOT_UNDER_WAY
 *   another does                                ──►  a stream of the same feeder may, and one that takes over;
 *                                                    the other stream ends. Otherwise FEEDER_ACTIVE
 * </pre>
 *
 * <p>A snapshot is active while its stream sends messages. An active snapshot is never interrupted, so if several
 * feeders retry, each can finish. A kind is fed by the stream that started its last snapshot, until that stream ends.
 *
 * <p>Queries require a state of every kind of {@link ObjectKind#OF_PLACEMENT}: a complete snapshot, or events that
 * change something. Events do not count if a feed will list every kind ({@link #expectSnapshots}): a kind whose list
 * fails is missing, and events of other kinds say nothing about it. If the first snapshot is aborted, only a part of
 * the kind is known, so queries must wait for a complete one.
 *
 * <p>Methods with a writer, and those that say so, must be called within a write of the engine. Writes are serialized.
 * The others are thread-safe.
 */
public final class Feeds {
    private final List<KindFeedState> kinds =
            ObjectKind.ALL.stream().map(KindFeedState::new).toList();

    private final long stalledNanos;
    private final LongSupplier clock;

    /** Whether a feed will list every kind. Accessed only within writes. */
    private boolean snapshotsExpected;

    /** Why queries are rejected; null if they are answered. */
    private volatile @Nullable RequestException obstacle;

    /** The kinds that have a state. Replaced, never modified. */
    private volatile Set<ObjectKind> ready = Set.of();

    /** The kinds of the last notification. */
    private Set<ObjectKind> reportedReady = ready;

    /** The same, once all listeners were notified. */
    private volatile Set<ObjectKind> knownReady = ready;

    private final List<Consumer<Boolean>> readinessListeners = new ArrayList<>();
    private final List<FeedListener> listeners = new CopyOnWriteArrayList<>();

    /** Events that listeners do not know yet, in the order of the writes. */
    private final Queue<Consumer<FeedListener>> news = new ConcurrentLinkedQueue<>();

    /**
     * @param stalledAfter how long a snapshot stays active without a message
     * @param clock nanoseconds from any origin
     */
    public Feeds(Duration stalledAfter, LongSupplier clock) {
        stalledNanos = stalledAfter.toNanos();
        this.clock = clock;
        phasesChanged();
    }

    /** Creates a stream that does not feed any kind yet. */
    public FeedStream open() {
        return new FeedStream(clock);
    }

    /** The feed of a kind. */
    public KindFeedState of(ObjectKind kind) {
        return kinds.get(kind.ordinal());
    }

    /**
     * Starts a snapshot of these kinds.
     *
     * @param feeder the stream's name for itself; may be empty
     * @return the other streams that lose a kind
     * @throws RequestException if it must not start; then nothing has changed
     */
    public Collection<FeedStream> begin(
            FeedStream stream, Set<ObjectKind> begun, String feeder, boolean takeover, ClusterWriter writer) {
        Set<FeedStream> losers = new LinkedHashSet<>();
        Map<String, Set<ObjectKind>> lost = new LinkedHashMap<>();
        for (ObjectKind kind : begun) {
            KindFeedState.Owner owner = of(kind).owner();
            if (owner != null && owner.stream() != stream) {
                requireMayLose(owner, kind, takeover || owner.feeder().equals(feeder));
                losers.add(owner.stream());
                add(lost, owner.feeder(), kind);
            }
        }
        lost.forEach((from, those) -> news.add(listener -> listener.takenOver(from, feeder, those)));
        Set<ObjectKind> all = Set.copyOf(begun);
        news.add(listener -> listener.snapshotBegun(feeder, all));
        losers.forEach(loser -> loser.lose(feeder));
        long now = clock.getAsLong();
        begun.forEach(kind -> of(kind).begin(stream, feeder, now));
        phasesChanged();
        publish(writer);
        return losers;
    }

    /**
     * Rejects a takeover if the owner has an active snapshot of any kind, because all of its snapshots would end, and
     * if the other stream may not take over at all.
     */
    private void requireMayLose(KindFeedState.Owner owner, ObjectKind kind, boolean mayTakeOver) {
        if (!listing(owner.stream()).isEmpty() && owner.stream().hasMovedWithin(stalledNanos)) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY,
                    "a snapshot from another stream" + of(owner.feeder()) + ", which feeds " + kind
                            + ", is in progress; try again when it has ended");
        }
        if (!mayTakeOver) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_FEEDER_ACTIVE,
                    "another stream" + of(owner.feeder()) + " feeds " + kind + "; try again when it has ended");
        }
    }

    private static String of(String feeder) {
        return feeder.isEmpty() ? "" : " of the feeder " + Quotes.shortened(feeder);
    }

    private static void add(Map<String, Set<ObjectKind>> byFeeder, String feeder, ObjectKind kind) {
        byFeeder.computeIfAbsent(feeder, same -> EnumSet.noneOf(ObjectKind.class))
                .add(kind);
    }

    /**
     * Prepares the end of snapshots, before the objects that they did not list are removed.
     *
     * @param lists the versions of the lists; 0 if unknown
     */
    public void beginEnd(Map<ObjectKind, Long> lists, ClusterWriter writer) {
        lists.forEach((kind, version) -> of(kind).beginEnd(version, writer));
    }

    /**
     * Completes snapshots. Their stream continues to feed the kinds.
     *
     * @param lists the versions of the lists; 0 if unknown
     */
    public void end(Map<ObjectKind, Long> lists, ClusterWriter writer) {
        Map<String, Map<ObjectKind, Long>> ended = new LinkedHashMap<>();
        lists.forEach((kind, version) -> {
            of(kind).end(version);
            ended.computeIfAbsent(of(kind).feeder(), same -> new EnumMap<>(ObjectKind.class))
                    .put(kind, version);
        });
        ended.forEach((feeder, those) -> news.add(listener -> listener.snapshotEnded(feeder, those)));
        phasesChanged();
        publish(writer);
    }

    /**
     * Removes a stream that has ended because of {@code why}. Must be called within a write.
     *
     * @return the kinds whose snapshot was aborted
     */
    public Set<ObjectKind> close(FeedStream stream, String why) {
        Set<ObjectKind> aborted = listing(stream);
        Map<String, Set<ObjectKind>> fed = new LinkedHashMap<>();
        for (KindFeedState each : kinds) {
            if (each.isFedBy(stream)) {
                add(fed, each.feeder(), each.kind());
                each.close();
            }
        }
        fed.forEach((feeder, those) -> news.add(listener -> {
            Set<ObjectKind> broken = EnumSet.copyOf(those);
            broken.retainAll(aborted);
            listener.streamEnded(feeder, those, broken, why);
        }));
        phasesChanged();
        return aborted;
    }

    /**
     * Called when a feed starts that will list every kind, though perhaps not soon. From now on, kinds whose state
     * comes only from events wait for their list. Must be called within a write.
     */
    public void expectSnapshots() {
        snapshotsExpected = true;
        kinds.forEach(KindFeedState::expectSnapshot);
        phasesChanged();
    }

    /**
     * Called when a unary call has changed something. That gives a state to the kinds of its objects and to every kind
     * that placement depends on, unless snapshots are expected. It does not complete a snapshot that is in progress or
     * was aborted. Must be called within a write.
     */
    public void apply(Set<ObjectKind> changed) {
        if (!snapshotsExpected && !(ready.containsAll(ObjectKind.OF_PLACEMENT) && ready.containsAll(changed))) {
            kinds.stream()
                    .filter(each -> ObjectKind.OF_PLACEMENT.contains(each.kind()) || changed.contains(each.kind()))
                    .forEach(KindFeedState::apply);
            phasesChanged();
        }
    }

    /**
     * Makes these feeds of a copied state ready: for every kind that answers need, and any other of which the original
     * has a state. The original must answer queries. To be called before other threads use them.
     */
    public void becomeReadyLike(Feeds original) {
        kinds.stream()
                .filter(each -> ObjectKind.OF_PLACEMENT.contains(each.kind())
                        || original.of(each.kind()).isReady())
                .forEach(KindFeedState::apply);
        phasesChanged();
    }

    /** Publishes what was recorded. Must be called at the end of each write that has recorded something. */
    public void publish(ClusterWriter writer) {
        long now = clock.getAsLong();
        for (int i = 0; i < kinds.size(); i++) {
            kinds.get(i).publish(writer, now);
        }
    }

    private void phasesChanged() {
        ready = Collections.unmodifiableSet(kindsOf(KindFeedState::isReady));
        RequestException why = refusal(
                each -> !each.isReady() && each.isListing(),
                ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY,
                KindFeedState.LISTING_FIRST);
        if (why == null) {
            why = refusal(
                    each -> !each.isReady() && each.phase() == KindFeedState.Phase.ABORTED,
                    ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF,
                    KindFeedState.ABORTED_FIRST);
        }
        obstacle = why != null
                ? why
                : refusal(
                        each -> !each.isReady(),
                        ErrorReason.ERROR_REASON_NOT_FED,
                        "no cluster state has been received yet");
    }

    private @Nullable RequestException refusal(Predicate<KindFeedState> isSo, ErrorReason reason, String message) {
        Set<ObjectKind> those = kindsOf(isSo);
        those.retainAll(ObjectKind.OF_PLACEMENT);
        if (those.isEmpty()) {
            return null;
        }
        String which = those.equals(ObjectKind.OF_PLACEMENT) ? "" : " (" + ObjectKinds.names(those) + ")";
        return RequestException.ofKinds(reason, message + which, those);
    }

    private Set<ObjectKind> kindsOf(Predicate<KindFeedState> isSo) {
        return kinds.stream()
                .filter(isSo)
                .map(KindFeedState::kind)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(ObjectKind.class)));
    }

    /** The kinds that this stream is sending a snapshot of. */
    public Set<ObjectKind> listing(FeedStream stream) {
        // In this order, because a new owner is recorded before its snapshot.
        return kindsOf(each -> each.isListing() && each.isFedBy(stream));
    }

    /** True if a snapshot of any kind was started, or events have given a kind a state. */
    public boolean haveBegun() {
        return kinds.stream().anyMatch(KindFeedState::hasBegun);
    }

    /** True if queries are answered. */
    public boolean isReady() {
        return obstacle == null;
    }

    /** Rejects a query that cannot be answered yet. */
    void requireReady() {
        RequestException why = obstacle;
        if (why != null) {
            throw why;
        }
    }

    /**
     * Rejects a query unless the feed of each of these kinds has reported something within {@code most}.
     *
     * @throws RequestException if a feed has not
     */
    public void requireHeardWithin(Duration most, Set<ObjectKind> which) {
        Set<ObjectKind> unknown = EnumSet.noneOf(ObjectKind.class);
        Set<ObjectKind> old = EnumSet.noneOf(ObjectKind.class);
        long now = clock.getAsLong();
        long oldest = 0;
        for (ObjectKind kind : which) {
            KindFeedState each = of(kind);
            Long heardAt = each.received().heardAt();
            if (heardAt == null) {
                unknown.add(each.kind());
            } else if (now - heardAt > most.toNanos()) {
                old.add(each.kind());
                oldest = Math.max(oldest, now - heardAt);
            }
        }
        if (!unknown.isEmpty()) {
            throw RequestException.ofKinds(
                    ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                    "no feed of this server has reported " + ObjectKinds.names(unknown) + " yet (freshness.maxAge)",
                    unknown);
        }
        if (!old.isEmpty()) {
            throw RequestException.ofKinds(
                    ErrorReason.ERROR_REASON_STATE_TOO_OLD,
                    "the feed of " + ObjectKinds.names(old) + " must have reported within "
                            + seconds(most.toNanos()) + ", last reported " + seconds(oldest)
                            + " ago (freshness.maxAge)",
                    old);
        }
    }

    private static String seconds(long nanos) {
        return BigDecimal.valueOf(nanos, 9).setScale(1, RoundingMode.HALF_UP) + " s";
    }

    /** Adds a listener for future events about feeds. */
    public void listen(FeedListener listener) {
        listeners.add(listener);
    }

    /** Calls {@code listener} now, and whenever readiness changes. */
    public synchronized void onReadiness(Consumer<Boolean> listener) {
        readinessListeners.add(listener);
        listener.accept(reportedReady.containsAll(ObjectKind.OF_PLACEMENT));
    }

    /** Notifies listeners of all changes so far, in order. Must be called outside the engine's writes. */
    public void notifyListeners() {
        if (ready != knownReady) {
            notifyReadiness();
        }
        if (!news.isEmpty()) {
            notifyNews();
        }
    }

    /** Synchronized so that a listener's last notification carries the current state. */
    private synchronized void notifyReadiness() {
        Set<ObjectKind> before = reportedReady;
        Set<ObjectKind> now = ready;
        reportedReady = now;
        if (!now.equals(before)) {
            listeners.forEach(listener -> listener.ready(now));
        }
        boolean answers = now.containsAll(ObjectKind.OF_PLACEMENT);
        if (answers != before.containsAll(ObjectKind.OF_PLACEMENT)) {
            readinessListeners.forEach(listener -> listener.accept(answers));
        }
        knownReady = now;
    }

    private synchronized void notifyNews() {
        for (Consumer<FeedListener> next = news.poll(); next != null; next = news.poll()) {
            listeners.forEach(next);
        }
    }
}
