package io.evenkeel.lab.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Watches all kinds, and discards the events. Reopens a watch that the API server ends because the client was too slow
 * for a while, because a control without watches would cost nothing. Thread-safe.
 */
final class BareWatches {
    private static final long PAUSE_MILLIS = 100;

    private final BareClient client;
    private final List<WatchFrames> watched = new CopyOnWriteArrayList<>();

    BareWatches(BareClient client) {
        this.client = client;
    }

    void start() throws IOException {
        for (ObjectKind kind : ObjectKind.values()) {
            watch(kind);
        }
    }

    /** The number of events received, including bookmarks. */
    long events() {
        return watched.stream().mapToLong(WatchFrames::count).sum();
    }

    private void watch(ObjectKind kind) throws IOException {
        WatchFrames frames = new WatchFrames(-1, event -> {});
        watched.add(frames);
        CompletableFuture<?> unused = client.watch(kind, frames::read).whenComplete((ended, why) -> {
            System.err.println("the bare watch of " + kind.kindName() + " has ended; reopening it: " + why);
            reopenSoon(kind);
        });
    }

    private void reopenSoon(ObjectKind kind) {
        CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS).execute(() -> {
            try {
                watch(kind);
            } catch (IOException | CompletionException e) {
                System.err.println("the bare watch of " + kind.kindName() + " cannot be reopened yet: " + e);
                reopenSoon(kind);
            }
        });
    }
}
