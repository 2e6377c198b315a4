package io.evenkeel.placement;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.simulation.SimulatedCluster;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.OperationResult;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.SessionOperation;
import java.util.List;
import java.util.function.Function;

/**
 * A session: a hypothetical cluster with its own engine, and the handler of queries about it. Its state is ready, and
 * no feed changes it. Thread-safe: queries run concurrently, and changes take turns.
 */
final class Session {
    private final Object owner;
    private final long idleNanos;
    private final EngineAccess access;
    private final PlacementHandler placement;
    private final SessionBytes bytes;
    private final SessionChanges changes;
    private final Limits limits;
    private volatile long usedAt;

    /**
     * @param owner the identity that may use it
     * @param idleNanos how long it may be unused
     * @param placement creates the handler of its queries
     * @param bytes counts the bytes of its changes
     */
    Session(
            Object owner,
            long idleNanos,
            EngineAccess access,
            Function<EngineAccess, PlacementHandler> placement,
            SessionBytes bytes,
            Limits limits) {
        this.owner = owner;
        this.idleNanos = idleNanos;
        this.access = access;
        this.placement = placement.apply(access);
        this.bytes = bytes;
        this.limits = limits;
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

    void use(long now) {
        usedAt = now;
    }

    boolean isExpired(long now) {
        return now - usedAt > idleNanos;
    }

    /**
     * Makes operations in order. A rejected one does not affect the others.
     *
     * @return the revision after them
     */
    synchronized Revision change(List<SessionOperation> operations, List<OperationResult> results) {
        for (SessionOperation operation : operations) {
            OperationResult.Builder result = OperationResult.newBuilder();
            try {
                result.setDone(changes.make(operation));
            } catch (RequestException e) {
                result.setError(ItemErrors.of(e));
            }
            results.add(result.build());
        }
        return revision();
    }

    /** Places pods one after another. */
    synchronized ScheduleResponse schedule(ScheduleRequest request, StopSignal stop) {
        return new ScheduleCall(access, placement.plans(), limits, request, stop)
                .run(
                        (item, count) -> changes.newPods(item.getPod(), count),
                        (items, rule, refusals) ->
                                changes.schedule(items, rule, request.getNodeOrderList(), refusals, stop));
    }

    /** Releases the bytes of its changes. */
    synchronized void close() {
        bytes.giveBackAll();
    }
}
