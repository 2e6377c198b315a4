package io.evenkeel.lab.scheduler;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.Calls;
import io.evenkeel.lab.controlplane.WholeObjects;
import io.evenkeel.loadtest.local.ManagedProcess;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The warm-up before each turn, whatever the scheduler: for a while, bound pods are created, run and are deleted, and
 * the turn's Evenkeel server, if any, gets the queries of a scheduler. In production all these programs run for weeks,
 * so their code is compiled and their caches are warm.
 */
final class RaceWarmUp {
    /** Limits the rate of pods, so that the JIT compilers get enough processor time. */
    private static final int AT_A_TIME = 8;

    private static final long PAUSE_MILLIS = 100;

    private final ApiServer server;
    private final List<Pod> pods;
    private final List<String> nodes;
    private final long seconds;
    private final Path work;

    /**
     * @param pods the pods of the turn; similar pods are created and deleted
     * @param nodes the names of the cluster's nodes
     * @param work a directory for the queries
     */
    RaceWarmUp(ApiServer server, List<Pod> pods, List<String> nodes, long seconds, Path work) {
        this.server = server;
        this.pods = pods;
        this.nodes = nodes;
        this.seconds = seconds;
        this.work = work;
    }

    /**
     * Runs the lead-in. The cluster's pods are unchanged afterwards.
     *
     * @param evenkeel the address of the Evenkeel server; null if there is none
     */
    void run(@Nullable String evenkeel) throws IOException, InterruptedException {
        if (seconds == 0) {
            return;
        }
        try (ManagedProcess asking = evenkeel == null ? null : ask(evenkeel)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            for (int i = 0; System.nanoTime() < end; i += AT_A_TIME) {
                comeAndGo(i);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            if (asking != null && !asking.isAlive()) {
                throw new IOException("queries of the lead-in failed: " + asking.lastLines());
            }
        } catch (CompletionException e) {
            throw new IOException("the pods of the lead-in failed: " + e.getCause(), e);
        }
    }

    /** Sends an Evenkeel server the queries of a scheduler, through a program with the plugin's client. */
    private ManagedProcess ask(String target) throws IOException, InterruptedException {
        Path asked = Files.write(
                work.resolve("asked-pods"),
                FilterRequest.newBuilder().addAllPods(pods).build().toByteArray());
        Path names = Files.write(work.resolve("asked-nodes"), nodes);
        ProcessBuilder command = new ProcessBuilder(
                Programs.asking().toString(), "--server=" + target, "--pods=" + asked, "--nodes=" + names);
        return ManagedProcess.start(command, line -> {});
    }

    private void comeAndGo(int first) throws InterruptedException {
        List<Pod> some = new ArrayList<>();
        Calls calls = new Calls();
        for (int i = first; i < first + AT_A_TIME; i++) {
            Pod pod = named(i);
            some.add(pod);
            calls.submit(() -> server.create(ObjectKind.POD, pod.getMetadata().getNamespace(), WholeObjects.pod(pod)));
        }
        calls.await();
        for (Pod pod : some) {
            calls.submit(() -> gone(pod));
        }
        calls.await();
    }

    private Pod named(int number) {
        Pod.Builder pod = pods.get(number % pods.size()).toBuilder();
        pod.getMetadataBuilder().setName("lead-in-" + number);
        pod.getSpecBuilder().setNodeName(nodes.get(number % nodes.size()));
        return pod.build();
    }

    private CompletableFuture<Void> gone(Pod pod) {
        return server.send(
                "DELETE",
                ApiResource.path(ObjectKind.POD, pod.getMetadata().getNamespace())
                        + '/'
                        + pod.getMetadata().getName(),
                Kubelets.ENDS);
    }
}
