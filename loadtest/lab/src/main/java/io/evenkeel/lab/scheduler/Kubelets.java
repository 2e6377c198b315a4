package io.evenkeel.lab.scheduler;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.Calls;
import io.evenkeel.lab.controlplane.Watch;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Simulates the kubelets of all nodes: it makes bound pods running and ready, and removes deleted pods. One kubelet
 * reports once per second that its node is ready, like those of a large cluster do in turn. It records when it sees
 * each binding of a turn.
 */
final class Kubelets implements AutoCloseable {
    /** The body of a call that deletes a pod immediately. */
    static final String ENDS = "{\"gracePeriodSeconds\": 0}";

    private static final String RUNS =
            "{\"status\": {\"phase\": \"Running\", \"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}}";

    private static final long REPORTS_AFTER_MILLIS = 1_000;

    private final ApiServer server;
    private final Watch watch;
    private final String reporting;
    /** Guarded by {@code this}, like {@link #bound}. */
    private final Set<String> awaited;

    private final IntConsumer onBound;
    private final Calls calls = new Calls();
    private final Set<String> runs = new HashSet<>();
    private final Set<String> ended = new HashSet<>();
    private final Thread thread = new Thread(this::run, "kubelets");
    private final Thread reports = new Thread(this::report, "kubelet-reports");
    /** When each binding was seen. */
    private final List<Long> bound = new ArrayList<>();

    private volatile @Nullable Exception failure;

    private Kubelets(ApiServer server, Watch watch, String reporting, Set<String> awaited, IntConsumer onBound) {
        this.server = server;
        this.watch = watch;
        this.reporting = reporting;
        this.awaited = new HashSet<>(awaited);
        this.onBound = onBound;
    }

    /**
     * Starts from the current state of the cluster.
     *
     * @param reporting the node whose kubelet sends heartbeats
     * @param awaited the keys of the pods that a turn is to bind
     * @param onBound called on the watch thread with the number of these pods that are bound
     */
    static Kubelets start(ApiServer server, String reporting, Set<String> awaited, IntConsumer onBound)
            throws IOException, InterruptedException {
        Kubelets kubelets = new Kubelets(server, server.watch(ObjectKind.POD), reporting, awaited, onBound);
        for (Thread thread : List.of(kubelets.thread, kubelets.reports)) {
            thread.setDaemon(true);
            thread.start();
        }
        return kubelets;
    }

    private void report() {
        String path = ApiResource.path(ObjectKind.NODE) + '/' + reporting + "/status";
        try {
            while (true) {
                String ready =
                        "{\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\", \"lastHeartbeatTime\": \""
                                + Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\"}]}}";
                calls.submit(() -> unlessGone(server.send("PATCH", path, ready)));
                Thread.sleep(REPORTS_AFTER_MILLIS);
            }
        } catch (CompletionException e) {
            failure = e;
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            for (Watch.Event event = watch.next(); event != null; event = watch.next()) {
                if (!event.gone()) {
                    seen((Pod) event.object());
                }
            }
        } catch (IOException | CompletionException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void seen(Pod pod) throws InterruptedException {
        String path = ApiResource.path(ObjectKind.POD, pod.getMetadata().getNamespace())
                + '/'
                + pod.getMetadata().getName();
        if (pod.getMetadata().hasDeletionTimestamp()) {
            if (ended.add(pod.getMetadata().getUid())) {
                calls.submit(() -> unlessGone(server.send("DELETE", path, ENDS)));
            }
        } else if (!pod.getSpec().getNodeName().isEmpty()) {
            long heardAt = System.nanoTime();
            boolean isAwaited = awaitNoMore(RacePods.key(pod));
            if (runs.add(pod.getMetadata().getUid())) {
                calls.submit(() -> unlessGone(server.send("PATCH", path + "/status", RUNS)));
            }
            if (isAwaited) {
                // Called before the binding is noted, so that all callbacks have run once await returns.
                onBound.accept(count() + 1);
                note(heardAt);
            }
        }
    }

    /** Stops waiting for a pod. Returns whether it was awaited. */
    private synchronized boolean awaitNoMore(String key) {
        return awaited.remove(key);
    }

    private synchronized int count() {
        return bound.size();
    }

    private synchronized void note(long heardAt) {
        bound.add(heardAt);
        notifyAll();
    }

    /** Ignores errors for pods that are already gone. */
    private static CompletableFuture<?> unlessGone(CompletableFuture<?> call) {
        return call.exceptionally(failed -> {
            if (ApiServer.isNotFound(failed)) {
                return null;
            }
            throw new CompletionException(failed);
        });
    }

    /**
     * Waits until {@code count} pods are bound, or until none has been bound for a while.
     *
     * @return how many are bound
     */
    synchronized int await(int count, long patienceSeconds) throws IOException, InterruptedException {
        long last = System.nanoTime();
        int before = bound.size();
        while (bound.size() < count) {
            Exception failed = failure;
            if (failed != null) {
                throw new IOException("the simulated kubelets failed: " + failed, failed);
            }
            wait(TimeUnit.SECONDS.toMillis(1));
            if (bound.size() > before) {
                before = bound.size();
                last = System.nanoTime();
            } else if (System.nanoTime() - last > TimeUnit.SECONDS.toNanos(patienceSeconds)) {
                break;
            }
        }
        return bound.size();
    }

    /** The keys of the pods that are not bound yet. */
    synchronized List<String> unbound() {
        return awaited.stream().sorted().toList();
    }

    /** When each binding was seen, by {@link System#nanoTime}, in order. */
    synchronized List<Long> bound() {
        return List.copyOf(bound);
    }

    @Override
    public void close() throws IOException {
        watch.close();
        reports.interrupt();
        try {
            thread.join();
            reports.join();
            calls.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
