package io.evenkeel.placement.call;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Revision;
import java.util.List;

/**
 * Gives the calls of one server instance their access to the engine: with the instance's id, and only when the instance
 * is ready. Safe for use by several threads.
 */
public final class EngineAccess {
    private final String instance;
    private final SpreadEngine engine;
    private final Readiness readiness;
    private final FeedProgress progress;
    private final FreshnessGate gate;
    private final RecentQueries recent;
    private final NodeTableTokens tokens = new NodeTableTokens();

    public EngineAccess(
            String instance,
            SpreadEngine engine,
            Readiness readiness,
            FeedProgress progress,
            FreshnessGate gate,
            RecentQueries recent) {
        this.instance = instance;
        this.engine = engine;
        this.readiness = readiness;
        this.progress = progress;
        this.gate = gate;
        this.recent = recent;
    }

    public String instance() {
        return instance;
    }

    public SpreadEngine engine() {
        return engine;
    }

    public Readiness readiness() {
        return readiness;
    }

    public FeedProgress progress() {
        return progress;
    }

    public FreshnessGate gate() {
        return gate;
    }

    /** Whether anybody asks. */
    public RecentQueries recent() {
        return recent;
    }

    public Revision revision(long counter) {
        return Revision.newBuilder().setInstance(instance).setCounter(counter).build();
    }

    /** The tokens of this instance's node tables. */
    public NodeTableTokens tokens() {
        return tokens;
    }

    /** Roughly how many nodes there are. All node indexes are below this. */
    public int nodes() {
        return engine.nodeLimit();
    }

    /** Refuses a query that cannot be answered yet. */
    public void requireReady() {
        readiness.require();
    }

    /** Refuses a query of a session: there are none. */
    public void requireLiveState(String session) {
        if (!session.isEmpty()) {
            throw RequestException.sessionUnknown(session, "session");
        }
    }

    /** Refuses a query that cannot be answered yet, or whose demands are not met. */
    public void requireReached(Freshness demanded) {
        requireReady();
        gate.require(demanded);
    }

    /** Whether an answer needs to know how far the state that it rests on has got. */
    public static boolean needsVersions(Freshness demanded) {
        return demanded.getIncludeResourceVersions() || demanded.getResourceVersionsCount() > 0;
    }

    /**
     * The versions to be told in the answer to a query.
     *
     * @param state how far the state of the answer has got
     * @throws RequestException where it has gone back behind what the query demands
     */
    public List<KindVersion> told(KindVersions state, Freshness demanded) {
        gate.requireHeldBy(state, demanded);
        return demanded.getIncludeResourceVersions() ? ObjectKinds.versions(state) : List.of();
    }
}
