package io.evenkeel.lab.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.Calls;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlane.Program;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Deployments that roll while a turn binds pods: one for each {@link io.evenkeel.loadtest.cluster.Spread}, as a canary
 * of a workload of the cluster, so that their pods are counted together. kube-controller-manager, which runs until this
 * is closed, creates and replaces their ReplicaSets and pods.
 */
final class Rollouts implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REPLICAS = 10;
    private static final String TRACK = "track";
    private static final String CANARY = "canary";
    private static final long COMPLETE_WITHIN_SECONDS = 120;
    private static final long PAUSE_MILLIS = 200;

    private final ControlPlane plane;
    private final ApiServer server;
    private final List<Workload> workloads;

    private Rollouts(ControlPlane plane, ApiServer server, List<Workload> workloads) {
        this.plane = plane;
        this.server = server;
        this.workloads = workloads;
    }

    /**
     * Starts kube-controller-manager.
     *
     * @throws IOException if it does not start; its messages go to standard error
     */
    static Rollouts start(ControlPlane plane, ClusterGenerator cluster) throws IOException {
        ApiServer server = plane.client();
        plane.start(Program.CONTROLLER_MANAGER);
        // Workloads take the kinds of constraints in turn.
        return new Rollouts(
                plane,
                server,
                cluster.workloads().stream().limit(Spread.OF_WORKLOADS.size()).toList());
    }

    /**
     * Creates the Deployments, and waits until their first pods run.
     *
     * @throws IOException if they do not start
     */
    void create() throws IOException, InterruptedException {
        Calls calls = new Calls();
        for (Workload workload : workloads) {
            String manifest = manifest(workload).toString();
            calls.submit(() -> server.call("POST", path(workload), manifest));
        }
        calls.await();
        List<RolloutProgress> first = await();
        if (!first.stream().allMatch(RolloutProgress::isComplete)) {
            throw new IOException("the first pods of the Deployments are not running: " + first);
        }
    }

    /** Gives the next Deployment in turn a new template. */
    CompletableFuture<?> roll(int number) {
        Workload workload = workloads.get(number % workloads.size());
        return server.call(
                "PATCH",
                path(workload) + '/' + name(workload),
                "{\"spec\": {\"template\": {\"metadata\": {\"annotations\": {\"" + RolloutProgress.REVISION
                        + "\": \"next" + number + "\"}}}}}");
    }

    /** Waits until all rollouts are complete, or for a while. Returns their progress. */
    List<RolloutProgress> await() throws InterruptedException {
        long begin = System.nanoTime();
        List<RolloutProgress> now = now();
        while (!now.stream().allMatch(RolloutProgress::isComplete)
                && System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(COMPLETE_WITHIN_SECONDS)) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            now = now();
        }
        return now;
    }

    private List<RolloutProgress> now() {
        JsonNode replicaSets = all("/apis/apps/v1/replicasets");
        JsonNode pods = all("/api/v1/pods");
        List<RolloutProgress> rollouts = new ArrayList<>();
        all("/apis/apps/v1/deployments")
                .forEach(deployment -> rollouts.add(RolloutProgress.of(deployment, replicaSets, pods)));
        return rollouts;
    }

    private JsonNode all(String path) {
        return server.call("GET", path + "?labelSelector=" + TRACK + "%3D" + CANARY, "")
                .join()
                .path("items");
    }

    private static String path(Workload workload) {
        return "/apis/apps/v1/namespaces/" + workload.namespace() + "/deployments";
    }

    private static String name(Workload workload) {
        return workload.name() + '-' + CANARY;
    }

    private static ObjectNode manifest(Workload workload) throws IOException {
        Pod pod = workload.incomingPod();
        ObjectNode labels = JSON.valueToTree(pod.getMetadata().getLabelsMap());
        labels.put(TRACK, CANARY).remove("pod-template-hash");
        ObjectNode podSpec = (ObjectNode) JSON.readTree(JsonFormat.printer().print(pod.getSpec()));
        podSpec.putArray("containers").addObject().put("name", "main").put("image", "registry.example/app:1");
        ObjectNode deployment = JSON.createObjectNode();
        deployment.putObject("metadata").put("name", name(workload)).set("labels", labels);
        ObjectNode spec = deployment.putObject("spec").put("replicas", REPLICAS);
        spec.putObject("selector").set("matchLabels", labels);
        ObjectNode template = spec.putObject("template");
        ObjectNode metadata = template.putObject("metadata");
        metadata.set("labels", labels);
        metadata.putObject("annotations").put(RolloutProgress.REVISION, "first");
        template.set("spec", podSpec);
        return deployment;
    }

    /** Stops kube-controller-manager. */
    @Override
    public void close() throws IOException {
        plane.stop(Program.CONTROLLER_MANAGER);
    }
}
