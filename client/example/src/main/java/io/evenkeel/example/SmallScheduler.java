package io.evenkeel.example;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.SharedClient;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.ReadableAnswer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A small scheduler. It binds pods with its {@code schedulerName}, one after another, to the node that best satisfies
 * their topology spread constraints and has room for their requests.
 *
 * <pre>
 *   API server ──KubeFeed──► index        ──evaluate──► best node that fits ─┐
 *                  └───────► waiting pods ──one by one──────────────────────►┴─► assume ──► POST binding
 *                                                                                  └── failed: forget, retry
 * </pre>
 *
 * <p>A pod counts from the moment its node is chosen. The watch confirms it; a failed binding reverts it. Preemption,
 * volumes and inter-pod affinity are not supported.
 */
public final class SmallScheduler implements AutoCloseable {
    private static final int BINDERS = 16;
    private static final String JSON = "application/json";

    private final WatchedPods pods;
    private final Instance index = new Instance(InstanceOptions.standard());
    private final PlacementClient placement = EmbeddedPlacement.builder().over(index);
    private final ScheduledExecutorService binders = Executors.newScheduledThreadPool(BINDERS);
    private final SharedClient api;
    private final KubeFeed feed;

    /** Starts to follow the cluster, as the scheduler with this name. */
    public SmallScheduler(ClusterAccess cluster, String name) {
        pods = new WatchedPods(name);
        api = new SharedClient(cluster);
        feed = KubeFeed.start(
                index.clusterState(), Limits.builder().build().events(), cluster, new FeedProblems(), pods);
    }

    private static void log(String line) {
        System.err.println(line);
    }

    /** Schedules pods until the thread is interrupted. */
    public void run() throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(1);
        index.clusterState().onReadiness(is -> {
            if (is) {
                ready.countDown();
            }
        });
        ready.await();
        while (true) {
            Pod pod = pods.take();
            try {
                schedule(pod);
            } catch (PlacementException e) {
                log(pod.getMetadata().getName() + ": " + e.getMessage());
                tryLater(pod);
            }
        }
    }

    private void schedule(Pod pod) {
        String node = choose(pod);
        if (node == null) {
            tryLater(pod);
            return;
        }
        placement.assume(AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(pod).setNode(node))
                .build());
        binders.execute(() -> bind(pod, node));
    }

    /** The best node on which the pod fits; null if there is none. */
    private @Nullable String choose(Pod pod) {
        PodAnswer answer = placement
                .evaluate(Query.of(pod).among(CandidateNodes.fitting()).best(1).toEvaluate())
                .getAnswers(0);
        if (answer.hasError()) {
            log(pod.getMetadata().getName() + ": " + answer.getError().getMessage());
        }
        ReadableAnswer readable = answer.getReadable();
        return readable.getBestCount() == 0 ? null : readable.getBest(0).getName();
    }

    private void bind(Pod pod, String node) {
        ObjectMeta metadata = pod.getMetadata();
        String path = "/api/v1/namespaces/" + metadata.getNamespace() + "/pods/" + metadata.getName() + "/binding";
        // Kubernetes names and UIDs contain no characters that JSON would escape.
        String binding = """
                {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s", "uid": "%s"},
                 "target": {"apiVersion": "v1", "kind": "Node", "name": "%s"}}
                """.formatted(metadata.getName(), metadata.getUid(), node);
        try {
            byte[] ignored = api.post(path, JSON, binding.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            log("binding " + metadata.getName() + " to " + node + " failed: " + e.getMessage());
            ForgetRequest revert =
                    ForgetRequest.newBuilder().addUids(metadata.getUid()).build();
            // If the watch has meanwhile reported the pod as bound or deleted, nothing is reverted.
            if (placement.forget(revert).getForgottenCount() > 0) {
                tryLater(pod);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tryLater(Pod pod) {
        String uid = pod.getMetadata().getUid();
        ScheduledFuture<?> unused = binders.schedule(() -> pods.tryAgain(uid), 1, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        feed.close();
        binders.shutdownNow();
        api.close();
        placement.close();
        index.close();
    }

    /** Arguments: the scheduler's name and, optionally, a kubeconfig. */
    public static void main(String[] arguments) throws ConfigurationException, InterruptedException {
        Path kubeconfig = arguments.length > 1 ? Path.of(arguments[1]) : null;
        try (SmallScheduler scheduler = new SmallScheduler(ClusterAccess.of(kubeconfig, null), arguments[0])) {
            scheduler.run();
        }
    }
}
