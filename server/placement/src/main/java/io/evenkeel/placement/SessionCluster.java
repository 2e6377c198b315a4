package io.evenkeel.placement;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.simulation.SimulatedCluster;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.Turns;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.OperationResult;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.SessionOperation;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A session: a hypothetical cluster with its own engine, and the handler of queries about it. Its state is ready, and
 * no feed changes it. Thread-safe: queries run concurrently, and changes take turns.
 */
final class SessionCluster {
    private final Object owner;
    private final long idleNanos;
    private final EngineAccess access;
    private final PlacementHandler placement;
    private final SessionBytes bytes;
    private final SessionChanges changes;
    private final Limits limits;
    private final LongSupplier clock;

    /** Held by the call that changes it. */
    private final Turns turns = new Turns("open a session on another server");

    /** How many calls are changing it or wait for their turn. */
    private final AtomicInteger changing = new AtomicInteger();

    private volatile long usedAt;
    private volatile @Nullable String end;

    /**
     * @param owner the identity that may use it
     * @param idleNanos how long it may be unused
     * @param placement creates the handler of its queries
     * @param bytes counts the bytes of its changes
     * @param clock nanoseconds from any origin
     */
    SessionCluster(
            Object owner,
            long idleNanos,
            EngineAccess access,
            Function<EngineAccess, PlacementHandler> placement,
            SessionBytes bytes,
            Limits limits,
            LongSupplier clock) {
        this.owner = owner;
        this.idleNanos = idleNanos;
        this.access = access;
        this.placement = placement.apply(access);
        this.bytes = bytes;
        this.limits = limits;
        this.clock = clock;
        changes = new SessionChanges(new SimulatedCluster(access.engine()), bytes, limits);
    }

    String id() {
        return access.session();
    }

    boolean belongsTo(Object identity) {
        return owner.equals(identity);
    }

    Object owner() {
        return owner;
    }

    long idleNanos() {
        return idleNanos;
    }

    /** The handler of its queries. */
    PlacementHandler placement() {
        return placement;
    }

    /** Its current revision. */
    Revision revision() {
        return access.revision(access.engine().revision());
    }

    /** Called when a call uses it. */
    void use() {
        usedAt = clock.getAsLong();
    }

    boolean isExpired() {
        return changing.get() == 0 && clock.getAsLong() - usedAt > idleNanos;
    }

    /**
     * Makes operations in order. A rejected one does not affect the others. If this is stopped, the operations so far
     * stay.
     *
     * @return the revision after them
     */
    Revision change(List<SessionOperation> operations, List<OperationResult> results, StopSignal stop) {
        return inTurn(stop, () -> {
            for (SessionOperation operation : operations) {
                stop.check();
                requireOpen();
                OperationResult.Builder result = OperationResult.newBuilder();
                try {
                    result.setDone(changes.make(operation));
                } catch (RequestException e) {
                    result.setError(ItemErrors.of(e));
                }
                results.add(result.build());
            }
            return revision();
        });
    }

    /** Places pods one after another. */
    ScheduleResponse schedule(ScheduleRequest request, StopSignal stop) {
        return inTurn(
                stop,
                () -> new ScheduleCall(access, placement.plans(), limits, request, stop)
                        .run(
                                (item, count) -> changes.newPods(item.getPod(), count),
                                (items, rule, refusals) ->
                                        changes.schedule(items, rule, request.getNodeOrderList(), refusals, stop)));
    }

    /** Does not expire until the change is made. If it is closed while the call waits, the call is rejected at once. */
    private <T> T inTurn(StopSignal stop, Supplier<T> change) {
        changing.incrementAndGet();
        try {
            return turns.take(
                    () -> {
                        requireOpen();
                        return stop.isStopped();
                    },
                    () -> {
                        requireOpen();
                        return change.get();
                    });
        } finally {
            use();
            changing.decrementAndGet();
        }
    }

    private void requireOpen() {
        String how = end;
        if (how != null) {
            throw unknown(id(), how);
        }
    }

    /** The rejection of a call for a session that there is not. */
    static RequestException unknown(String id, String why) {
        return RequestException.of(
                ErrorReason.ERROR_REASON_SESSION_UNKNOWN, "session " + Quotes.quoted(id) + " " + why + " (session)");
    }

    /**
     * Ends it, and releases the bytes of its changes. Does not wait for a change under way, which is completed.
     *
     * @param how it ended, for calls that wait for their turn
     */
    void close(String how) {
        end = how;
        bytes.close();
    }
}
