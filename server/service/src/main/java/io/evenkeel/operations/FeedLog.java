package io.evenkeel.operations;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.call.FeedListener;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Logs a line for each change of a feed. Thread-safe. */
public final class FeedLog implements FeedListener {
    private final BiConsumer<Level, String> log;
    private final BooleanSupplier stopping;
    private Set<ObjectKind> ready = EnumSet.noneOf(ObjectKind.class);

    /** @param stopping whether the server is stopping: then feeds end as expected, and there are no warnings */
    FeedLog(BiConsumer<Level, String> log, BooleanSupplier stopping) {
        this.log = log;
        this.stopping = stopping;
    }

    /**
     * Logs the changes from now on.
     *
     * @param health the health of the server, which ends all feeds when it stops
     * @param log receives the lines; must not block
     */
    public static void begin(ClusterStateHandler clusterState, ServerHealth health, BiConsumer<Level, String> log) {
        FeedLog feedLog = new FeedLog(log, health::isStopping);
        ObjectKind.ALL.stream()
                .filter(kind -> clusterState.feed(kind).isReady())
                .forEach(feedLog.ready::add);
        clusterState.onFeed(feedLog);
    }

    @Override
    public void snapshotBegun(String feeder, Set<ObjectKind> kinds) {
        log.accept(Level.INFO, name(feeder) + " started a snapshot: " + names(kinds));
    }

    @Override
    public void snapshotEnded(String feeder, Map<ObjectKind, Long> versions) {
        log.accept(
                Level.INFO,
                name(feeder) + " completed its snapshot: "
                        + versions.entrySet().stream()
                                .map(entry -> ServerHealth.name(entry.getKey())
                                        + (entry.getValue() == 0 ? "" : " at version " + entry.getValue()))
                                .collect(Collectors.joining(", ")));
    }

    @Override
    public void takenOver(String from, String by, Set<ObjectKind> kinds) {
        warn(name(by) + " took over " + names(kinds) + " from " + name(from));
    }

    @Override
    public void streamEnded(String feeder, Set<ObjectKind> kinds, Set<ObjectKind> aborted, String why) {
        warn(name(feeder) + " disconnected: " + names(kinds)
                + "; serving the last known state"
                + (aborted.isEmpty() ? "" : "; snapshot aborted: " + names(aborted))
                + "; " + why);
    }

    @Override
    public synchronized void ready(Set<ObjectKind> kinds) {
        Set<ObjectKind> gained = without(kinds, ready);
        Set<ObjectKind> lost = without(ready, kinds);
        boolean answered = ready.containsAll(ObjectKind.OF_PLACEMENT);
        boolean answers = kinds.containsAll(ObjectKind.OF_PLACEMENT);
        ready = without(kinds, Set.of());
        if (!gained.isEmpty()) {
            log.accept(Level.INFO, "ready: " + names(gained) + (answers && !answered ? "; answering queries" : ""));
        }
        if (!lost.isEmpty()) {
            warn("no longer ready: " + names(lost) + (answers ? "" : "; rejecting queries"));
        }
    }

    private static Set<ObjectKind> without(Set<ObjectKind> some, Set<ObjectKind> others) {
        Set<ObjectKind> left = EnumSet.noneOf(ObjectKind.class);
        left.addAll(some);
        left.removeAll(others);
        return left;
    }

    private void warn(String what) {
        if (!stopping.getAsBoolean()) {
            log.accept(Level.WARNING, what);
        }
    }

    private static String name(String feeder) {
        return feeder.isEmpty() ? "unnamed feeder" : "feeder " + Quotes.quoted(feeder);
    }

    private static String names(Set<ObjectKind> kinds) {
        return kinds.stream().map(ServerHealth::name).collect(Collectors.joining(", "));
    }
}
