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
    private final List<SkippedFrames> watched = new CopyOnWriteArrayList<>();

    BareWatches(BareClient client) {
        this.client = client;
    }

    void start() throws IOException {
        for (ObjectKind kind : ObjectKind.values()) {
            CompletableFuture<?> first = watch(kind);
            Thread thread = new Thread(() -> watchOn(kind, first), "watch-" + kind.kindName());
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** The number of events received, including bookmarks. */
    long events() {
        return watched.stream().mapToLong(SkippedFrames::count).sum();
    }

    private CompletableFuture<?> watch(ObjectKind kind) throws IOException {
        SkippedFrames frames = new SkippedFrames();
        watched.add(frames);
        return client.watch(kind, frames::skip);
    }

    private void watchOn(ObjectKind kind, CompletableFuture<?> first) {
        CompletableFuture<?> current = first;
        while (true) {
            try {
                current.join();
                System.err.println("the bare watch of " + kind.kindName() + " has ended; reopening it");
            } catch (CompletionException e) {
                System.err.println("the bare watch of " + kind.kindName() + " failed; reopening it: " + e.getMessage());
            }
            current = again(kind);
        }
    }

    private CompletableFuture<?> again(ObjectKind kind) {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            return watch(kind);
        } catch (IOException | CompletionException | InterruptedException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
