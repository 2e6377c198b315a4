package io.evenkeel.placement.call;

import com.google.protobuf.Duration;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Revision;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Gives calls access to the engine of one state, once that is ready: the live state of an instance, or that of a
 * session. Thread-safe.
 */
public final class EngineAccess {
    private final String instance;
    private final String session;
    private final SpreadEngine engine;
    private final Feeds feeds;
    private final FreshnessGate gate;
    private final RecentQueries recent;
    private final NodeTableTokens tokens = new NodeTableTokens();

    /**
     * @param session the id of the session; empty for the live state
     * @param timer ends the waits of calls
     */
    public EngineAccess(
            String instance,
            String session,
            SpreadEngine engine,
            Feeds feeds,
            ScheduledExecutorService timer,
            Limits limits,
            RecentQueries recent) {
        this.instance = instance;
        this.session = session;
        this.engine = engine;
        this.feeds = feeds;
        this.recent = recent;
        FreshnessDemands demands = new FreshnessDemands(engine::versions, feeds);
        gate = new FreshnessGate(instance, session, engine::revision, demands, timer, limits);
        engine.onRevision(gate::advance);
    }

    public String instance() {
        return instance;
    }

    /** The id of the session; empty for the live state. */
    public String session() {
        return session;
    }

    public SpreadEngine engine() {
        return engine;
    }

    public Feeds feeds() {
        return feeds;
    }

    public FreshnessGate gate() {
        return gate;
    }

    /** Tracks whether queries arrive. */
    public RecentQueries recent() {
        return recent;
    }

    public Revision revision(long counter) {
        return Revision.newBuilder()
                .setInstance(instance)
                .setCounter(counter)
                .setSession(session)
                .build();
    }

    /** The tokens of this state's node tables. */
    public NodeTableTokens tokens() {
        return tokens;
    }

    /** An upper bound of all node indexes, and roughly the number of nodes. */
    public int nodes() {
        return engine.nodeLimit();
    }

    /** Rejects a query that cannot be answered yet. */
    public void requireReady() {
        feeds.requireReady();
    }

    /** Rejects a query that cannot be answered yet, or whose freshness demands are not met. */
    public void requireReached(Freshness demanded) {
        requireReady();
        gate.require(demanded);
    }

    /**
     * Rejects a query that respects disruption budgets if these are older than it demands. {@link #requireReached} does
     * not check their age.
     */
    public void requireBudgetsWithin(Freshness demanded) {
        if (!demanded.getMaxAge().equals(Duration.getDefaultInstance())) {
            feeds.requireHeardWithin(WireDurations.of(demanded.getMaxAge()), Set.of(ObjectKind.POD_DISRUPTION_BUDGET));
        }
    }

    /** Whether all disruption budgets are known. */
    public boolean knowsBudgets() {
        return feeds.of(ObjectKind.POD_DISRUPTION_BUDGET).isReady();
    }

    /** True if the answer must report or check the resource versions of the state that it is based on. */
    public static boolean needsVersions(Freshness demanded) {
        return demanded.getIncludeResourceVersions() || demanded.getResourceVersionsCount() > 0;
    }

    /**
     * The versions to report in the answer to a query.
     *
     * @param state the versions of the state that the answer is based on
     * @throws RequestException if the state has fallen behind the query's demands again
     */
    public List<KindVersion> versionsFor(KindVersions state, Freshness demanded) {
        gate.requireHeldBy(state, demanded);
        return demanded.getIncludeResourceVersions() ? ObjectKinds.versions(state) : List.of();
    }
}
