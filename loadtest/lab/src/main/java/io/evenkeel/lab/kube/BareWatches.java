package io.evenkeel.lab.kube;

import io.evenkeel.lab.controlplane.Kind;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Watches all kinds, and drops what comes. An API server ends the watch of a client that is too slow for a while: then
 * it is begun again, since a control that no longer watches would cost nothing. Safe for use by several threads.
 */
final class BareWatches {
    private static final long PAUSE_MILLIS = 100;

    private final BareClient client;
    private final List<SkippedFrames> watched = new CopyOnWriteArrayList<>();

    BareWatches(BareClient client) {
        this.client = client;
    }

    void start() throws IOException {
        for (Kind kind : Kind.values()) {
            CompletableFuture<?> first = watch(kind);
            Thread thread = new Thread(() -> watchOn(kind, first), "watch-" + kind.kind());
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** How many events have come, bookmarks among them. */
    long events() {
        return watched.stream().mapToLong(SkippedFrames::count).sum();
    }

    private CompletableFuture<?> watch(Kind kind) throws IOException {
        SkippedFrames frames = new SkippedFrames();
        watched.add(frames);
        return client.watch(kind, frames::skip);
    }

    private void watchOn(Kind kind, CompletableFuture<?> first) {
        CompletableFuture<?> current = first;
        while (true) {
            try {
                current.join();
                System.err.println("the bare watch of " + kind.kind() + " has ended, and is begun again");
            } catch (CompletionException e) {
                System.err.println("the bare watch of " + kind.kind() + " is begun again: " + e.getMessage());
            }
            current = again(kind);
        }
    }

    private CompletableFuture<?> again(Kind kind) {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            return watch(kind);
        } catch (IOException | CompletionException | InterruptedException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
