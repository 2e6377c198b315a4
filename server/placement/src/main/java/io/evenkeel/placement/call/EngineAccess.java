package io.evenkeel.placement.call;

import com.google.protobuf.Duration;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Revision;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Gives calls access to the engine of one state, once that is ready and as new as they demand: the live state of an
 * instance, or that of a session. Thread-safe.
 */
public final class EngineAccess {
    private final String instance;
    private final String session;
    private final SpreadEngine engine;
    private final Feeds feeds;
    private final FreshnessDemands demands;
    private final WaitingCalls waiting;
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
        demands = new FreshnessDemands(engine::versions, feeds);
        waiting = new WaitingCalls(this::reached, demands, timer, limits);
        engine.onRevision(waiting::advance);
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

    /** The calls that wait until this state is as new as they demand. */
    public WaitingCalls waiting() {
        return waiting;
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

    private Revision reached() {
        return revision(engine.revision());
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

    /** True if the state is as new as demanded now, and no demand must be rejected. */
    boolean isReached(Freshness demanded) {
        if (isRevisionOnly(demanded)) {
            return isReached(demanded.getRevision());
        }
        try {
            return isReached(demanded.getRevision()) && demands.areMet(demanded);
        } catch (RequestException refused) {
            return false;
        }
    }

    /** True if nothing but a revision is demanded. */
    private static boolean isRevisionOnly(Freshness demanded) {
        return demanded.getResourceVersionsCount() == 0 && demanded.getMaxAge().equals(Duration.getDefaultInstance());
    }

    private boolean isReached(Revision demanded) {
        return demanded.getInstance().equals(instance) && demanded.getSession().equals(session)
                ? engine.revision() >= demanded.getCounter()
                : demanded.equals(Revision.getDefaultInstance());
    }

    /** Rejects a query that cannot be answered yet, or whose freshness demands are not met. */
    public void requireReached(Freshness demanded) {
        requireReady();
        if (!isReached(demanded)) {
            requireReachable(demanded);
            RequestException unmet = unmet(demanded);
            if (unmet != null) {
                throw unmet;
            }
        }
    }

    /** Rejects demands that waiting cannot meet. */
    private void requireReachable(Freshness demanded) {
        if (!isRevisionOnly(demanded)) {
            demands.areMet(demanded);
        }
        Revision own = demanded.getRevision();
        if (!own.getInstance().equals(instance) && !own.equals(Revision.getDefaultInstance())) {
            throw RequestException.notReached(
                    ErrorReason.ERROR_REASON_OTHER_INSTANCE,
                    "freshness.revision.instance must be this instance, " + instance + ", was "
                            + (own.getInstance().isEmpty()
                                    ? "none"
                                    : Quotes.shortened(own.getInstance())
                                            + "; the server was restarted, or the revision is from another replica"),
                    reached());
        }
        if (!own.getSession().equals(session) && !own.equals(Revision.getDefaultInstance())) {
            throw RequestException.invalid(
                    "freshness.revision.session",
                    "must be that of the query, " + Quotes.quoted(session) + ", was "
                            + Quotes.quoted(own.getSession()));
        }
    }

    /** The error if the demands are not met now; null if they are. */
    private @Nullable RequestException unmet(Freshness demanded) {
        Revision reached = reached();
        if (isReached(demanded.getRevision())) {
            return demands.unmet(new DemandedVersions(demanded.getResourceVersionsList()), demands.now(), reached);
        }
        return RequestException.notReached(
                ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME,
                "revision " + demanded.getRevision().getCounter() + " was not reached in time: the state is at "
                        + reached.getCounter() + " of instance " + instance,
                reached);
    }

    /**
     * Does the work of a call on its pool once the state is as new as demanded, or fails the call.
     *
     * @param bytes the size of its request
     */
    public void whenReached(Freshness demanded, int bytes, Call<?> call, Runnable work) {
        TaskPool pool = call.pool();
        Object caller = pool.caller();
        CompletableFuture<Void> reached = reach(demanded, call, caller, pool.waitingBytes(bytes));
        call.onStop(() -> reached.cancel(false));
        CompletableFuture<Void> unused = reached.whenComplete((nothing, error) -> {
            if (error == null) {
                // Not in this thread, which may belong to the writer.
                pool.later(
                        caller,
                        bytes,
                        () -> call.attempt(() -> {
                            call.check();
                            work.run();
                        }),
                        call::fail);
            } else {
                call.fail(error);
            }
        });
    }

    private CompletableFuture<Void> reach(Freshness demanded, Call<?> call, Object caller, long bytes) {
        if (isReached(demanded)) {
            return CompletableFuture.completedFuture(null);
        }
        try {
            requireReachable(demanded);
            return waiting.await(demanded, call.patience(), caller, bytes, () -> unmet(demanded));
        } catch (RequestException e) {
            return CompletableFuture.failedFuture(e);
        }
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
        if (demanded.getResourceVersionsCount() > 0) {
            RequestException unmet =
                    demands.unmet(new DemandedVersions(demanded.getResourceVersionsList()), state, reached());
            if (unmet != null) {
                throw unmet;
            }
        }
        return demanded.getIncludeResourceVersions() ? ObjectKinds.versions(state) : List.of();
    }
}
