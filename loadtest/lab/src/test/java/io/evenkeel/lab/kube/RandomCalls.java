package io.evenkeel.lab.kube;

import com.google.protobuf.Duration;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.EvaluationStream;
import io.evenkeel.client.FeedOptions;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.PlacementQueries;
import io.evenkeel.client.PodWatch;
import io.evenkeel.client.Query;
import io.evenkeel.client.SchedulerStream;
import io.evenkeel.client.Session;
import io.evenkeel.engine.Await;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.PlaceGroupRequest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduledPods;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WorkloadReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Makes random calls of all methods of a server, one after another, until it is closed. Often opens a new connection,
 * and sometimes forgets to close a session.
 */
final class RandomCalls implements AutoCloseable {
    private static final int CALLS_ON_A_CONNECTION = 100;
    private static final int KINDS_OF_PODS = 300;
    private static final int MANY_PODS = 20;
    private static final long PAUSE_MILLIS = 10;
    private static final long WATCH_MILLIS = 100;

    /** How long sessions may be idle. */
    static final Duration IDLE = Duration.newBuilder().setSeconds(5).build();

    private final ClusterGenerator cluster;
    private final Supplier<PlacementClient> connection;
    private final CallOutcomes outcomes;
    private final Random random;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Workload> constrained;
    private final Map<String, Consumer<PlacementQueries>> queries = new TreeMap<>();
    private final Map<String, Consumer<PlacementClient>> calls = new TreeMap<>();
    private final Thread thread = new Thread(this::run, "random-calls");
    private volatile boolean closed;
    private volatile boolean mustReconnect;

    /**
     * @param connection opens a connection to the server
     * @param assumes whether it assumes pods, after which answers differ from the cluster's state for a second
     */
    RandomCalls(
            ClusterGenerator cluster,
            Supplier<PlacementClient> connection,
            CallOutcomes outcomes,
            long seed,
            boolean assumes) {
        this.cluster = cluster;
        this.connection = connection;
        this.outcomes = outcomes;
        random = new Random(seed);
        cluster.objects().forEachRemaining(object -> {
            if (object.hasNode()) {
                nodes.add(object.getNode());
            }
        });
        constrained = cluster.workloads().stream()
                .filter(workload -> workload.pods() >= MANY_PODS
                        && workload.incomingPod().getSpec().getTopologySpreadConstraintsCount() > 0)
                .toList();
        addQueries();
        addCalls();
        if (assumes) {
            addAssumptions();
        }
        thread.setDaemon(true);
        thread.start();
    }

    private void addQueries() {
        queries.put("Filter", state -> check(state.filter(question().toFilter()).getAnswersList()));
        queries.put("Score", state -> check(state.score(question().toScore()).getAnswersList()));
        queries.put(
                "Evaluate",
                state -> check(state.evaluate(question().toEvaluate()).getAnswersList()));
        queries.put(
                "WhatIf",
                state -> state.whatIf(WhatIfRequest.newBuilder()
                        .setPod(pod())
                        .addCases(WhatIfCase.newBuilder().setNode(nodeName()))
                        .build()));
        queries.put(
                "Explain",
                state -> state.explain(ExplainRequest.newBuilder().setPod(pod()).build()));
        queries.put(
                "Explain of a reference",
                state -> state.explain(
                        ExplainRequest.newBuilder().setPodReference(placedPod()).build()));
        queries.put("Preempt", state -> {
            Pod.Builder pod = pod().toBuilder();
            pod.getSpecBuilder().setPriority(1);
            state.preempt(PreemptRequest.newBuilder().setPod(pod).build());
        });
        queries.put(
                "ListSpread",
                state -> state.listSpread(ListSpreadRequest.newBuilder()
                        .addNamespaces(any(cluster.workloads()).namespace())
                        .build()));
        queries.put(
                "ListSpread with domains",
                state -> state.listSpread(ListSpreadRequest.newBuilder()
                        .addWorkloads(deployment())
                        .setIncludeDomains(true)
                        .build()));
        queries.put(
                "RankVictims",
                state -> state.rankVictims(RankVictimsRequest.newBuilder()
                        .setWorkload(replicaSet())
                        .setCount(2)
                        .build()));
    }

    private void addCalls() {
        queries.forEach((name, query) -> calls.put(name, query::accept));
        calls.put("GetStatus", PlacementClient::status);
        calls.put("ListNodes", client -> client.listNodes(ListNodesRequest.getDefaultInstance()));
        calls.put("RegisterNodeSet", this::nodeSet);
        calls.put("EvaluateStream", this::evaluationStream);
        calls.put("SyncAndEvaluate", this::schedulerStream);
        calls.put("WatchUnblocked", this::watch);
        calls.put("session", this::session);
        calls.put("Schedule", client -> client.schedule(copies("")));
        calls.put(
                "EstimateNodes",
                client -> client.estimateNodes(EstimateNodesRequest.newBuilder()
                        .addGroups(NodeGroup.newBuilder()
                                .setName("new")
                                .setTemplate(any(nodes))
                                .setMaxCount(3))
                        .addPods(pending())
                        .build()));
        calls.put(
                "PlaceGroup",
                client -> client.placeGroup(
                        PlaceGroupRequest.newBuilder().addPods(pending()).build()));
        calls.put(
                "SimulateRemoval",
                client -> client.simulateRemoval(
                        SimulateRemovalRequest.newBuilder().addNodes(nodeName()).build()));
        calls.put(
                "Rebalance",
                client -> client.rebalance(
                        RebalanceRequest.newBuilder().addWorkloads(deployment()).build()));
    }

    private void addAssumptions() {
        calls.put("Assume", this::assume);
        calls.put(
                "ScheduleAndAssume",
                client -> client.scheduleAndAssume(copies("").toBuilder()
                        .setTimeToLive(Duration.newBuilder().setSeconds(1))
                        .build()));
    }

    private void run() {
        List<Map.Entry<String, Consumer<PlacementClient>>> all = List.copyOf(calls.entrySet());
        while (!closed) {
            mustReconnect = false;
            try (PlacementClient client = connection.get()) {
                for (int i = 0; i < CALLS_ON_A_CONNECTION && !closed && !mustReconnect; i++) {
                    Map.Entry<String, Consumer<PlacementClient>> call = any(all);
                    outcomes.count(call.getKey(), () -> call.getValue().accept(client));
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    // ---- calls

    private void nodeSet(PlacementClient client) {
        String id = client.registerNodeSet(
                        RegisterNodeSetRequest.newBuilder().addNames(nodeName()).build())
                .getNodeSetId();
        client.filter(Query.of(pod()).among(CandidateNodes.nodeSet(id)).toFilter());
        client.forgetNodeSet(ForgetNodeSetRequest.newBuilder().setNodeSetId(id).build());
    }

    private void evaluationStream(PlacementClient client) {
        try (EvaluationStream stream = client.evaluationStream()) {
            ask(stream);
        }
    }

    private void schedulerStream(PlacementClient client) {
        try (SchedulerStream stream = client.schedulerStream(FeedOptions.named("random-calls"))) {
            ask(stream.evaluations());
        }
    }

    private void ask(EvaluationStream stream) {
        List<CompletableFuture<EvaluateResponse>> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            answers.add(stream.evaluate(question().toEvaluate()));
        }
        try {
            answers.forEach(answer -> check(answer.join().getAnswersList()));
        } catch (CompletionException e) {
            throw e.getCause() instanceof PlacementException failed ? failed : e;
        }
    }

    private void watch(PlacementClient client) {
        try (PodWatch watch = client.watchUnblocked()) {
            CompletableFuture<?> unused = watch.add("pending", pod());
            var ignored = watch.await(java.time.Duration.ofMillis(WATCH_MILLIS));
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    private void session(PlacementClient client) {
        Session session = client.openSession(
                OpenSessionRequest.newBuilder().setIdleTimeout(IDLE).build());
        session.fork();
        session.addNodes(AddNodes.newBuilder()
                .setTemplate(any(nodes))
                .setNamePrefix("new-")
                .setCount(2)
                .build());
        any(List.copyOf(queries.values())).accept(session);
        client.schedule(copies(session.id()));
        session.revert();
        session.removeNode(nodeName());
        any(List.copyOf(queries.values())).accept(session);
        if (random.nextInt(10) > 0) {
            session.close();
        }
    }

    private void assume(PlacementClient client) {
        Pod.Builder pod = pod().toBuilder();
        String uid = "assumed-" + random.nextLong();
        pod.getMetadataBuilder().setName(uid).setUid(uid);
        AssumeRequest.Builder request =
                AssumeRequest.newBuilder().setTimeToLive(Duration.newBuilder().setSeconds(1));
        request.addPodsBuilder().setPod(pod).setNode(nodeName());
        client.assume(request.build());
        if (random.nextBoolean()) {
            client.forget(ForgetRequest.newBuilder().addUids(uid).build());
        }
    }

    // ---- parts of requests

    private static void check(List<PodAnswer> answers) {
        for (PodAnswer answer : answers) {
            if (answer.hasError()) {
                throw PlacementException.of(answer.getError());
            }
        }
    }

    private <T> T any(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    private String nodeName() {
        return any(nodes).getMetadata().getName();
    }

    private Pod pod() {
        Workload workload = any(cluster.workloads());
        Pod pod = any(List.of(Spread.values())).of(workload);
        if (random.nextInt(10) > 0) {
            return pod;
        }
        // A kind of pod that the server may not know, or no longer.
        Pod.Builder other = pod.toBuilder();
        String kind = "kind-" + random.nextInt(KINDS_OF_PODS);
        other.getMetadataBuilder().putLabels("kind", kind);
        other.getSpecBuilder()
                .getTopologySpreadConstraintsBuilderList()
                .forEach(constraint -> constraint.getLabelSelectorBuilder().putMatchLabels("kind", kind));
        return other.build();
    }

    private Query question() {
        List<Candidates> candidates = List.of(
                CandidateNodes.all(),
                CandidateNodes.enterable(),
                CandidateNodes.fitting(),
                CandidateNodes.named(nodeName(), nodeName()));
        Query query = Query.of(pod(), pod()).among(any(candidates));
        return random.nextBoolean() ? query : query.packed();
    }

    private PodReference placedPod() {
        Pod pod = cluster.pod(random.nextInt(cluster.shape().pods()));
        return PodReference.newBuilder()
                .setNamespace(pod.getMetadata().getNamespace())
                .setName(pod.getMetadata().getName())
                .build();
    }

    private WorkloadReference replicaSet() {
        Pod pod = any(cluster.workloads()).incomingPod();
        return WorkloadReference.newBuilder()
                .setNamespace(pod.getMetadata().getNamespace())
                .setKind("ReplicaSet")
                .setName(pod.getMetadata().getOwnerReferences(0).getName())
                .build();
    }

    /**
     * A workload that always has pods with constraints. The names of its ReplicaSet and its pods show the Deployment.
     */
    private WorkloadReference deployment() {
        Workload workload = any(constrained);
        return WorkloadReference.newBuilder()
                .setNamespace(workload.namespace())
                .setKind("Deployment")
                .setName(workload.name())
                .build();
    }

    private PendingPods pending() {
        return PendingPods.newBuilder().setPod(pod()).setCount(3).build();
    }

    private ScheduleRequest copies(String session) {
        return ScheduleRequest.newBuilder()
                .setSession(session)
                .addPods(ScheduledPods.newBuilder().setPod(pod()).setCount(3))
                .build();
    }

    /** Makes it open another connection, and waits until it has closed the previous one. */
    void reconnect() throws InterruptedException {
        mustReconnect = true;
        Await.until(() -> !mustReconnect);
    }

    /** Ends after the call in progress. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
