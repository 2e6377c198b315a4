package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Feeds;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ProfileDefaults;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.placement.query.PodCache;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.RequestReader;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The open sessions of an instance. Each belongs to the identity that opened it. Thread-safe.
 *
 * <pre>
 *   open    id ──► session
 *   ended   id ──► how it ended, of the most recent ones, so that later calls can be answered with the reason
 * </pre>
 */
final class Sessions implements SessionLookup<PlacementHandler>, AutoCloseable {
    private static final int RANDOM_BYTES = 16;
    private static final int ENDED_KEPT = 1_024;

    /** The cache of a session's pods. Most sessions ask about few kinds of pods. */
    private static final int PODS_CACHED = 1_024;

    private static final long BYTES_OF_CACHED_PODS = 1 << 20;

    private final EngineAccess live;
    private final NodeSets nodeSets;
    private final ProfileDefaults profiles;
    private final Limits limits;
    private final LongAdder podsJudged;
    private final ScheduledExecutorService timer;
    private final LongSupplier clock;
    private final SecureRandom random = new SecureRandom();
    private final CountedBytes bytes;

    // Guarded by this object's lock.
    private final Map<String, SessionCluster> open = new HashMap<>();
    private final Map<String, Ended> ended = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Ended> eldest) {
            return size() > ENDED_KEPT;
        }
    };
    private boolean closed;

    private record Ended(Object owner, String how) {}

    /**
     * @param live the state that sessions begin as
     * @param podsJudged counts the evaluated pods
     * @param clock nanoseconds from any origin
     */
    Sessions(
            EngineAccess live,
            NodeSets nodeSets,
            ProfileDefaults profiles,
            Limits limits,
            LongAdder podsJudged,
            ScheduledExecutorService timer,
            LongSupplier clock) {
        this.live = live;
        this.nodeSets = nodeSets;
        this.profiles = profiles;
        this.limits = limits;
        bytes = new CountedBytes(limits);
        this.podsJudged = podsJudged;
        this.timer = timer;
        this.clock = clock;
    }

    /**
     * Opens a session that begins as the live state now.
     *
     * @param owner the identity that may use it
     * @throws RequestException if there are too many sessions
     */
    SessionCluster open(Object owner, Duration idle) {
        requireRoom(owner);
        SessionCluster session = create(owner, idle);
        synchronized (this) {
            requireRoom(owner);
            session.use();
            open.put(session.id(), session);
        }
        return session;
    }

    /** A session that begins as the live state now and that no other call can use. The caller closes it. */
    SessionCluster ofOneCall(Object owner) {
        return create(owner, Duration.ZERO);
    }

    private synchronized void requireRoom(Object owner) {
        if (closed) {
            throw RequestException.stopping("open a session on another server");
        }
        expire();
        if (open.size() >= limits.sessions()) {
            throw RequestException.tooBusy(
                    "the server already has " + open.size() + " open sessions; close one, or try again later");
        }
        long own = open.values().stream()
                .filter(session -> session.belongsTo(owner))
                .count();
        if (own >= limits.callerSessions()) {
            throw RequestException.tooBusy(
                    "this caller already has " + own + " open sessions; close one, or try again later");
        }
    }

    private SessionCluster create(Object owner, Duration idle) {
        byte[] unique = new byte[RANDOM_BYTES];
        random.nextBytes(unique);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(unique);
        Feeds feeds = new Feeds(limits.stalledAfter(), clock);
        // Before the copy, which then has these kinds.
        feeds.becomeReadyLike(live.feeds());
        SpreadEngine engine = live.engine().fork();
        // No feed reports versions of it.
        engine.write(writer -> ObjectKind.ALL.forEach(kind -> writer.setVersions(kind, 0, 0)));
        EngineAccess access = new EngineAccess(live.instance(), id, engine, feeds, timer, limits, live.recent());
        SessionBytes own = new SessionBytes(bytes, owner);
        return new SessionCluster(owner, idle.toNanos(), access, this::placement, own, limits, clock);
    }

    private PlacementHandler placement(EngineAccess access) {
        RequestReader reader = new RequestReader(limits, nodeSets, access.tokens(), profiles);
        PodCache known = new PodCache(PODS_CACHED, BYTES_OF_CACHED_PODS);
        PodPlans plans = new PodPlans(access.engine(), reader, limits, known);
        return new PlacementHandler(access, nodeSets, reader, plans, limits, podsJudged, timer, this);
    }

    @Override
    public PlacementHandler find(String session, Object identity) {
        return require(session, identity).placement();
    }

    /**
     * The session with this id. Counts as a use.
     *
     * @throws RequestException if the caller has no such session
     */
    synchronized SessionCluster require(String id, Object identity) {
        expire();
        SessionCluster session = open.get(id);
        if (session == null || !session.belongsTo(identity)) {
            Ended past = ended.get(id);
            String why = past != null && past.owner.equals(identity)
                    ? past.how
                    : "is unknown: this caller has not opened it on this server";
            throw SessionCluster.unknown(id, why);
        }
        session.use();
        return session;
    }

    /** Closes a session. Ignores one that the caller does not have. */
    synchronized void close(String id, Object identity) {
        SessionCluster session = open.get(id);
        if (session != null && session.belongsTo(identity)) {
            end(session, "was closed");
        }
    }

    private synchronized void end(SessionCluster session, String how) {
        open.remove(session.id());
        ended.put(session.id(), new Ended(session.owner(), how));
        session.close(how);
    }

    /** Ends the sessions that have been unused for too long. */
    synchronized void expire() {
        for (SessionCluster session : List.copyOf(open.values())) {
            if (session.isExpired()) {
                end(session, "has expired because no call has used it for " + Duration.ofNanos(session.idleNanos()));
            }
        }
    }

    /** How many are open. */
    synchronized int size() {
        return open.size();
    }

    /** Closes all sessions. */
    @Override
    public synchronized void close() {
        closed = true;
        List.copyOf(open.values()).forEach(session -> end(session, "was closed because the server is stopping"));
    }
}
