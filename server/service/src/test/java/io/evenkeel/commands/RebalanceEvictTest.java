package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import com.google.protobuf.Timestamp;
import io.evenkeel.cli.ForkedJava;
import io.evenkeel.cli.Run;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.kube.ScriptedApiServer.Refusal;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodDisruptionBudgetSpec;
import io.evenkeel.v1.PodDisruptionBudgetStatus;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code rebalance --evict} against a scripted API server, which also plays the controller and the scheduler. */
@Timeout(60)
final class RebalanceEvictTest {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** What the API server says about a pod whose disruption budget allows no eviction. */
    private static final String BUDGET = """
            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
             "message":"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests",
             "details":{"causes":[{"reason":"DisruptionBudget",
              "message":"The disruption budget web needs 6 healthy pods and has 6 currently"}]},"code":429}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @SuppressWarnings("NullAway.Init")
    private ScriptedApiServer api;

    private final AtomicInteger created = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        api = ScriptedApiServer.start();
        putNodes(Map.of());
    }

    /** @param hostnames the hostname labels of nodes that have one */
    private void putNodes(Map<String, String> hostnames) {
        putNodes(hostnames, Map.of());
    }

    /** @param rooms for how many pods nodes have room, if not for many */
    private void putNodes(Map<String, String> hostnames, Map<String, String> rooms) {
        for (String node : List.of("a1", "a2", "b1", "c1")) {
            ObjectMeta.Builder metadata =
                    ObjectMeta.newBuilder().setName(node).setUid("node " + node).putLabels(ZONE, node.substring(0, 1));
            if (hostnames.containsKey(node)) {
                metadata.putLabels(HOSTNAME, hostnames.get(node));
            }
            api.put(
                    ObjectKind.NODE,
                    "node " + node,
                    version -> Node.newBuilder()
                            .setMetadata(metadata.setResourceVersion(Long.toString(version)))
                            .setStatus(NodeStatus.newBuilder()
                                    .putAllocatable("pods", StringValue.of(rooms.getOrDefault(node, "110"))))
                            .build()
                            .toByteArray());
        }
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private void putWeb(String... nodes) {
        for (int i = 0; i < nodes.length; i++) {
            put("ReplicaSet", "web-6f-" + i, "uid-" + i, nodes[i], true);
        }
    }

    private void put(String kind, String name, String uid, String node, boolean ready) {
        put(pod(kind, name, uid, node, ready));
    }

    private static Pod pod(String kind, String name, String uid, String node, boolean ready) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("shop")
                        .setName(name)
                        .setUid(uid)
                        .putLabels("app", "web")
                        .addOwnerReferences(OwnerReference.newBuilder()
                                .setApiVersion("apps/v1")
                                .setKind(kind)
                                .setName("web-6f")
                                .setUid("uid-web")
                                .setController(true)))
                .setSpec(PodSpec.newBuilder()
                        .setNodeName(node)
                        .setTerminationGracePeriodSeconds(0)
                        .addContainers(Container.newBuilder().setName("main"))
                        .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(1)
                                .setTopologyKey(ZONE)
                                .setWhenUnsatisfiable("DoNotSchedule")
                                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))))
                .setStatus(
                        node.isEmpty()
                                ? PodStatus.newBuilder()
                                        .setPhase("Pending")
                                        .addConditions(PodCondition.newBuilder()
                                                .setType("PodScheduled")
                                                .setStatus("False")
                                                .setMessage("0/4 nodes are available"))
                                : PodStatus.newBuilder()
                                        .setPhase("Running")
                                        .addConditions(PodCondition.newBuilder()
                                                .setType("Ready")
                                                .setStatus(ready ? "True" : "False")))
                .build();
    }

    private void put(Pod pod) {
        api.put(ObjectKind.POD, pod.getMetadata().getUid(), version -> at(version, pod));
    }

    private static byte[] at(long version, Pod pod) {
        Pod.Builder changed = pod.toBuilder();
        changed.getMetadataBuilder().setResourceVersion(Long.toString(version));
        return changed.build().toByteArray();
    }

    private void delete(Pod pod) {
        ScriptedApiServer server = api;
        synchronized (server) {
            server.delete(ObjectKind.POD, pod.getMetadata().getUid(), at(server.nextVersion(), pod));
        }
    }

    private void create(String node, boolean ready) {
        int number = created.incrementAndGet();
        put("ReplicaSet", "web-6f-new-" + number, "uid-new-" + number, node, ready);
    }

    /** The node whose zone has the fewest pods. */
    private String best() {
        Map<String, Long> zones = zones();
        return List.of("a1", "b1", "c1").stream()
                .min(Comparator.comparing(node -> zones.getOrDefault(node.substring(0, 1), 0L)))
                .orElseThrow();
    }

    private Map<String, Long> zones() {
        return api.pods().stream()
                .filter(pod -> !pod.getMetadata().hasDeletionTimestamp())
                .collect(Collectors.groupingBy(
                        pod -> pod.getSpec().getNodeName().substring(0, 1), TreeMap::new, Collectors.counting()));
    }

    private long evictions() {
        return api.asked().stream().filter(each -> each.endsWith("/eviction")).count();
    }

    private Run evict(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "rebalance",
                "--evict",
                "--kube",
                "--kubeconfig",
                api.kubeconfig(directory, "", "").toString()));
        all.addAll(Arrays.asList(arguments));
        return Run.of(all.toArray(String[]::new));
    }

    private static Run stopped(Run run, String reason) {
        assertEquals(1, run.exitCode(), run::err);
        String text = run.out().replaceAll("\\s+", " ");
        assertTrue(text.contains("Stopped: ") && text.contains(reason), run::out);
        return run;
    }

    // ---- the plan is carried out

    @Test
    void pods_areEvictedOneAfterAnother_untilConstraintsAreSatisfied() throws IOException {
        putWeb("a1", "a1", "a1", "a2", "a2", "a2");
        api.onEviction(pod -> {
            assertEquals(6, api.pods().size());
            delete(pod);
            create(best(), true);
            return null;
        });
        Run run = evict();
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertEquals(Map.of("a", 2L, "b", 2L, "c", 2L), zones());
        assertEquals(4, evictions());
        assertTrue(run.out().contains("Batch 4\n"), run::out);
        assertTrue(run.out().contains("Evicted 4 pods in 4 batches. "), run::out);
        assertTrue(run.out().endsWith("\nNo hard constraint exceeds maxSkew.\n"), run::out);
    }

    @Test
    void outputOfThePage_isThatOfTheCommand() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            create(best(), true);
            return null;
        });
        Run run = evict();
        CommandFiles.assertOutput("rebalance-evict.txt", 0, run);
        assertTrue(
                Files.readString(Path.of("../docs/rebalance-evict.md")).contains("```\n" + run.out() + "```\n"),
                run::out);
    }

    @Test
    void json_isOneDocument() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            create(best(), true);
            return null;
        });
        Run run = evict("-o", "json");
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(json.startsWith("{ \"asPredicted\": "), json);
        assertTrue(json.contains("\"batches\": [ { \"evictions\": [ { \"from\": \"a1\", \"node\": \"b1\""), json);
        assertTrue(json.contains("\"evicted\": 2, \"excessAfter\": 0, \"excessBefore\": 2, \"stopped\": \"\""), json);
    }

    @Test
    void json_hasPodsThatCannotBeRead() throws IOException {
        putWeb("a1", "b1", "c1");
        Pod.Builder invalid = pod("StatefulSet", "db-0", "uid-db", "a1", true).toBuilder();
        invalid.getMetadataBuilder().getOwnerReferencesBuilder(0).setName("db");
        invalid.getSpecBuilder().getTopologySpreadConstraintsBuilder(0).setMaxSkew(0);
        put(invalid.build());
        String json = evict("-o", "json").out().replaceAll("\\s+", " ");
        assertTrue(json.contains("\"unreadable\": {"), json);
        assertTrue(json.contains("\"name\": \"db\""), json);
    }

    /** Two zones have the most pods, so that the excess does not change before the second move. */
    @Test
    void movesThatAloneDoNotLowerTheExcess_areProgress() throws IOException {
        putWeb("a1", "a1", "a1", "a2", "b1", "b1", "b1", "b1", "c1");
        api.onEviction(pod -> {
            delete(pod);
            create("c1", true);
            return null;
        });
        Run run = evict("--batch", "1");
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertEquals(Map.of("a", 3L, "b", 3L, "c", 3L), zones());
    }

    @Test
    void nothingToDo_evictsNothing() throws IOException {
        putWeb("a1", "b1", "c1");
        Run run = evict();
        assertEquals(0, run.exitCode(), run::err);
        assertEquals("No hard constraint exceeds maxSkew.\n", run.out());
        assertEquals(0, evictions());
    }

    /** A StatefulSet creates the pod with the same name again, once the old one has ended. */
    @Test
    void replacementWithTheSameName_isAwaited() throws IOException {
        for (int i = 0; i < 3; i++) {
            put("StatefulSet", "db-" + i, "uid-" + i, "a1", true);
        }
        api.onEviction(pod -> {
            Pod.Builder ending = pod.toBuilder();
            ending.getMetadataBuilder()
                    .setDeletionTimestamp(Timestamp.newBuilder().setSeconds(1));
            put(ending.build());
            CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS).execute(() -> {
                delete(ending.build());
                put("StatefulSet", pod.getMetadata().getName(), "uid-new-" + created.incrementAndGet(), best(), true);
            });
            return null;
        });
        Run run = evict();
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertEquals(Map.of("a", 1L, "b", 1L, "c", 1L), zones());
        assertTrue(run.out().lines().anyMatch(line -> line.matches("shop/(db-.) +a1 +[bc]1 +\\1 +[bc]1")), run::out);
    }

    @Test
    void podThatIsGone_isSkipped() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            create(best(), true);
            return created.get() == 1 ? new Refusal(404, "{\"message\":\"pods not found\"}", null) : null;
        });
        Run run = evict();
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertEquals(2, evictions());
        assertTrue(run.out().contains("Evicted 1 pod in 1 batch. "), run::out);
    }

    @Test
    void replacementOfAPodThatOthersDeleted_isAwaited() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            if (!pod.getMetadata().getUid().equals("uid-0")) {
                create(best(), true);
                return null;
            }
            CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS).execute(() -> create(best(), true));
            return new Refusal(404, "{\"message\":\"pods not found\"}", null);
        });
        Run run = evict();
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertEquals(Map.of("a", 1L, "b", 1L, "c", 1L), zones());
        assertTrue(run.out().contains("Evicted 1 pod in 1 batch. "), run::out);
    }

    /** A proxy may lose the answer to an eviction that the API server has carried out. */
    @Test
    void evictionWithoutAnAnswer_counts_andItsReplacementIsAwaited() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            create(best(), true);
            return created.get() == 1 ? new Refusal(503, "{\"message\":\"lost\"}", null) : null;
        });
        Run run = evict();
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertTrue(run.out().contains("Evicted 2 pods in 2 batches."), run::out);
    }

    @Test
    void rejectedEviction_isRetried_afterTheTimeThatTheServerAsksFor() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> {
            if (evictions() == 1) {
                return new Refusal(429, BUDGET, "2");
            }
            delete(pod);
            create(best(), true);
            return null;
        });
        long begun = System.nanoTime();
        Run run = evict();
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertTrue(System.nanoTime() - begun >= TimeUnit.SECONDS.toNanos(2));
        assertEquals(3, evictions());
    }

    // ---- moves that are only possible together

    /**
     * Two pods of web and two of db, each in one zone, on nodes that have no more room: one of each must be exchanged.
     */
    private void putExchange() {
        putNodes(Map.of(), Map.of("a1", "2", "a2", "0", "b1", "2", "c1", "0"));
        putWeb("a1", "a1");
        put(db("db-0", "uid-db-0", "b1"));
        put(db("db-1", "uid-db-1", "b1"));
        api.onEviction(pod -> {
            delete(pod);
            if (evictions() == 2) {
                create("b1", true);
                put(db("db-new", "uid-db-new", "a1"));
            }
            return null;
        });
    }

    private static Pod db(String name, String uid, String node) {
        Pod.Builder db = pod("ReplicaSet", name, uid, node, true).toBuilder();
        db.getMetadataBuilder()
                .putLabels("app", "db")
                .getOwnerReferencesBuilder(0)
                .setName("db")
                .setUid("uid-db");
        db.getSpecBuilder()
                .getTopologySpreadConstraintsBuilder(0)
                .getLabelSelectorBuilder()
                .putMatchLabels("app", "db");
        return db.build();
    }

    private void putBudgetOfAll(int allowed) {
        api.put(
                ObjectKind.POD_DISRUPTION_BUDGET,
                "uid-budget",
                version -> PodDisruptionBudget.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder()
                                .setNamespace("shop")
                                .setName("all")
                                .setUid("uid-budget")
                                .setResourceVersion(Long.toString(version)))
                        .setSpec(PodDisruptionBudgetSpec.newBuilder().setSelector(LabelSelector.getDefaultInstance()))
                        .setStatus(PodDisruptionBudgetStatus.newBuilder().setDisruptionsAllowed(allowed))
                        .build()
                        .toByteArray());
    }

    @Test
    void chain_thatNeedsMoreEvictionsThanABudgetAllows_isNotBegun() throws IOException {
        putExchange();
        putBudgetOfAll(1);
        Run run = stopped(
                evict("--timeout", "1s"),
                "PodDisruptionBudget shop/all allows 1 eviction now, but 2 of its pods can only be evicted together: shop/");
        assertEquals(0, evictions());
        assertFalse(run.out().contains("Batch"), run::out);
    }

    @Test
    void chain_beginsOnceTheBudgetAllowsAllOfIt() throws IOException {
        putExchange();
        putBudgetOfAll(1);
        CompletableFuture<Long> before = CompletableFuture.supplyAsync(
                () -> {
                    long evictions = evictions();
                    putBudgetOfAll(2);
                    return evictions;
                },
                CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS));
        Run run = evict();
        assertEquals(0, before.join());
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertTrue(run.out().contains("Evicted 2 pods in 1 batch. "), run::out);
    }

    @Test
    void chain_ofWhichAPodIsGone_isNotBegun() throws IOException {
        putExchange();
        putBudgetOfAll(1);
        api.onEviction(pod -> {
            delete(pod);
            create("b1", true);
            return null;
        });
        CompletableFuture<Void> deleted = CompletableFuture.runAsync(
                () -> {
                    delete(db("db-0", "uid-db-0", "b1"));
                    delete(db("db-1", "uid-db-1", "b1"));
                },
                CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS));
        Run run = evict();
        deleted.join();
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        // The room of the deleted pods is that of a single move.
        assertEquals(1, evictions());
        assertTrue(api.asked().stream().noneMatch(each -> each.contains("/pods/db-")));
    }

    @Test
    void planIsMadeAgain_afterWaitingForABudget() throws IOException {
        putExchange();
        putBudgetOfAll(1);
        CompletableFuture<Void> repaired = CompletableFuture.runAsync(
                () -> {
                    putNodes(Map.of(), Map.of("c1", "9"));
                    put("ReplicaSet", "web-6f-x", "uid-x", "b1", true);
                    put("ReplicaSet", "web-6f-y", "uid-y", "c1", true);
                    put(db("db-x", "uid-db-x", "a1"));
                    put(db("db-y", "uid-db-y", "c1"));
                    CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(() -> putBudgetOfAll(2));
                },
                CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS));
        Run run = evict();
        repaired.join();
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertEquals(0, evictions());
        assertTrue(run.out().contains("No hard constraint exceeds maxSkew."), run::out);
    }

    /** One move is possible, but the excess would only fall with a second one. */
    @Test
    void movesThatDoNotLowerTheExcess_areNotMade() throws IOException {
        for (String node : List.of("d1", "t1")) {
            Node.Builder more = Node.newBuilder()
                    .setMetadata(ObjectMeta.newBuilder()
                            .setName(node)
                            .setUid("node " + node)
                            .putLabels(ZONE, node.substring(0, 1)))
                    .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of("110")));
            more.getSpecBuilder().setUnschedulable(node.equals("t1"));
            api.put(ObjectKind.NODE, "node " + node, version -> {
                more.getMetadataBuilder().setResourceVersion(Long.toString(version));
                return more.build().toByteArray();
            });
        }
        putWeb("a1", "a1", "a1", "b1", "b1", "b1", "d1");
        stopped(evict(), "no moves that are possible lower the excess; the plan begins with pod shop/web-6f-");
        assertEquals(0, evictions());
    }

    // ---- reasons to stop

    /** Pods with a claim, and with a constraint that counts only them. */
    private void putDb(String... nodes) {
        for (int i = 0; i < nodes.length; i++) {
            Pod.Builder claiming = pod("StatefulSet", "db-" + i, "uid-db-" + i, nodes[i], true).toBuilder();
            claiming.getMetadataBuilder()
                    .putLabels("app", "db")
                    .getOwnerReferencesBuilder(0)
                    .setName("db")
                    .setUid("uid-db");
            claiming.getSpecBuilder()
                    .getTopologySpreadConstraintsBuilder(0)
                    .getLabelSelectorBuilder()
                    .putMatchLabels("app", "db");
            claiming.getSpecBuilder()
                    .addVolumesBuilder()
                    .getVolumeSourceBuilder()
                    .getPersistentVolumeClaimBuilder();
            put(claiming.build());
        }
    }

    private static boolean isDb(Pod pod) {
        return pod.getMetadata().getName().startsWith("db-");
    }

    private long dbInZone(String zone) {
        return api.pods().stream()
                .filter(RebalanceEvictTest::isDb)
                .filter(pod -> pod.getSpec().getNodeName().startsWith(zone))
                .count();
    }

    @Test
    void podWithUnjudgedRules_isNotEvicted_unlessThatIsPermitted() throws IOException {
        putDb("a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            Pod.Builder replacement = pod.toBuilder();
            replacement.getMetadataBuilder().setUid("uid-db-new-" + created.incrementAndGet());
            replacement.getSpecBuilder().setNodeName(created.get() == 1 ? "b1" : "c1");
            put(replacement.build());
            return null;
        });
        String text = stopped(evict(), "shop/db-").out().replaceAll("\\s+", " ");
        assertTrue(text.contains("has rules that are not judged (volumes), so its replacement may stay pending"), text);
        assertEquals(0, evictions());

        Run run = evict("--evict-unjudged");
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertEquals(1, dbInZone("a"));
    }

    @Test
    void podsBeforeOneWithUnjudgedRules_areEvicted() throws IOException {
        putWeb("a1", "a1", "a1");
        putDb("a2", "a2", "b1", "b1");
        api.onEviction(pod -> {
            delete(pod);
            create(created.get() == 0 ? "b1" : "c1", true);
            return null;
        });
        stopped(evict(), "has rules that are not judged (volumes)");
        assertEquals(2, evictions());
        assertTrue(api.asked().stream().noneMatch(each -> each.endsWith("/pods/db-0/eviction")));
        assertEquals(2, dbInZone("a"));
    }

    @Test
    void evictionThatIsAlwaysRejected_stops_withTheReasonOfTheServer() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> new Refusal(429, BUDGET, null));
        Run run = stopped(evict("--timeout", "2s"), "The disruption budget web needs 6 healthy pods");
        assertTrue(evictions() >= 2);
        assertFalse(run.out().contains("Batch"), run::out);
    }

    @Test
    void missingRight_isNamed() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> new Refusal(403, "{\"message\":\"forbidden\"}", null));
        Run run = evict();
        assertEquals(2, run.exitCode(), run::out);
        assertTrue(run.err().contains("grant create on pods/eviction in namespace shop with a Role"), run::err);
        assertEquals(1, evictions());
    }

    @Test
    void rightThatIsLost_afterAnEvictionWithoutAnAnswer_leavesThatUncertain() throws IOException {
        putWeb("a1", "a1", "a1");
        api.onEviction(pod -> new Refusal(evictions() == 1 ? 503 : 403, "{\"message\":\"forbidden\"}", null));
        Run run = evict();
        assertEquals(2, run.exitCode(), run::out);
        assertTrue(run.err().contains("it is not known whether pod shop/web-"), run::err);
        assertTrue(run.err().contains("grant create on pods/eviction"), run::err);
        assertEquals(2, evictions());
    }

    @Test
    void pendingReplacement_stops_withTheReasonOfTheScheduler() throws IOException {
        putWeb("a1", "a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            create("", true);
            return null;
        });
        Run run = stopped(
                evict("--timeout", "1s"),
                "the replacement shop/web-6f-new-1 has been pending for 1 s: 0/4 nodes are available");
        assertTrue(run.out().contains("(pending)"), run::out);
        assertEquals(1, evictions());
    }

    @Test
    void missingReplacement_stops() throws IOException {
        putWeb("a1", "a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            return null;
        });
        Run run = stopped(
                evict("--timeout", "1s"),
                "namespace shop, ReplicaSet web-6f: 1 s after the evicted pods should have ended, 0 of 1 are replaced");
        assertTrue(run.out().contains("(none)"), run::out);
    }

    @Test
    void podThatIsNotDeleted_stops() throws IOException {
        putWeb("a1", "a1", "a1", "a1");
        api.onEviction(pod -> null);
        stopped(evict("--timeout", "1s"), "was evicted, but is not being deleted");
        assertEquals(1, evictions());
    }

    @Test
    void replacementThatIsNeverReady_stops() throws IOException {
        putWeb("a1", "a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            create(best(), false);
            return null;
        });
        stopped(evict("--ready-timeout", "1s"), "only 3 pods are ready, but 4 were before the evictions");
        assertEquals(1, evictions());
    }

    /** A node may reject each pod that is bound to it. */
    @Test
    void replacementsThatAlwaysFail_stop() throws IOException {
        putWeb("a1", "a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 40; i++) {
                    create("", true);
                    CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS))
                            .join();
                    api.pods().stream()
                            .filter(each -> each.getSpec().getNodeName().isEmpty())
                            .forEach(this::delete);
                }
            });
            return null;
        });
        stopped(evict("--timeout", "1s"), "after the evicted pods should have ended");
        assertEquals(1, evictions());
    }

    /** With fewer than minDomains zones, no zone may have two pods. */
    @Test
    void podThatNoNodeWouldTakeAgain_isNotEvicted() throws IOException {
        putNodes(Map.of("a1", "a1", "a2", "a2", "b1", "b1", "c1", "c1"));
        AtomicInteger pods = new AtomicInteger();
        for (int i = 0; i < 4; i++) {
            putWithMinDomains(pods.incrementAndGet(), "a1");
        }
        List<String> targets = new ArrayList<>(List.of("b1", "c1"));
        api.onEviction(pod -> {
            delete(pod);
            putWithMinDomains(pods.incrementAndGet(), targets.remove(0));
            return null;
        });
        Run run =
                stopped(evict(), "no moves that are possible lower the excess; the plan begins with pod shop/web-6f-");
        assertEquals(2, evictions());
        assertEquals(Map.of("a", 2L, "b", 1L, "c", 1L), zones(), run::out);
    }

    private void putWithMinDomains(int number, String node) {
        Pod.Builder pod = pod("ReplicaSet", "web-6f-" + number, "uid-" + number, node, true).toBuilder();
        TopologySpreadConstraint.Builder ofZones = pod.getSpecBuilder().getTopologySpreadConstraintsBuilder(0);
        TopologySpreadConstraint ofNodes =
                ofZones.clone().setTopologyKey(HOSTNAME).build();
        ofZones.setMinDomains(5);
        pod.getSpecBuilder().addTopologySpreadConstraints(ofNodes);
        put(pod.build());
    }

    @Test
    void excessThatDoesNotFall_stops() throws IOException {
        putWeb("a1", "a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            create("a1", true);
            return null;
        });
        Run run = stopped(evict(), "the excess has not fallen: it was 3 with 2 moves left, and is 3 with 2 moves left");
        assertEquals(1, evictions());
        assertTrue(run.out().contains("exceed it by 3 now."), run::out);
    }

    @Test
    void serverThatDies_stops() throws IOException {
        putWeb("a1", "a1", "a1", "a1", "a1", "a1");
        api.onEviction(pod -> {
            delete(pod);
            create(best(), true);
            if (created.get() == 2) {
                CompletableFuture<Void> unused = CompletableFuture.runAsync(api::close);
            }
            return null;
        });
        stopped(evict("--timeout", "2s"), "no connection to ");
    }

    @Test
    void signal_stops_andWhatWasEvictedIsPrinted() throws Exception {
        putWeb("a1", "a1", "a1", "a1");
        CompletableFuture<Void> evicted = new CompletableFuture<>();
        api.onEviction(pod -> {
            delete(pod);
            create("", true);
            evicted.complete(null);
            return null;
        });
        String output = interruptedAfter(evicted);
        assertTrue(output.endsWith("Stopped: interrupted by a signal\n"), output);
        assertTrue(output.contains("Evicted 1 pod in 1 batch. "), output);
        assertFalse(output.contains(" now."), output);
        assertEquals(1, evictions());
    }

    /** The API server does not answer before the command has to end. */
    @Test
    @Tag("long")
    void signal_whileAnEvictionIsUnanswered_saysThatTheResultIsNotKnown() throws Exception {
        putWeb("a1", "a1", "a1", "a1");
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<@Nullable Refusal> answer = new CompletableFuture<>();
        api.onEviction(pod -> {
            asked.complete(null);
            return answer.join();
        });
        String output = interruptedAfter(asked).replaceAll("\\s+", " ");
        answer.complete(null);
        assertTrue(
                output.contains("Stopped: interrupted by a signal; it is not known whether pod shop/web-6f-"), output);
        assertFalse(output.contains("Evicted "), output);
    }

    @Test
    @Tag("long")
    void signal_whileAnEvictionIsUnanswered_countsAPodThatIsSeenToBeGone() throws Exception {
        putWeb("a1", "a1", "a1", "a1");
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<@Nullable Refusal> answer = new CompletableFuture<>();
        api.onEviction(pod -> {
            delete(pod);
            asked.complete(null);
            return answer.join();
        });
        String output = interruptedAfter(asked);
        answer.complete(null);
        assertTrue(output.contains("Stopped: interrupted by a signal\n"), output);
        assertTrue(output.contains("Evicted 1 pod in 1 batch. "), output);
    }

    /** Interrupts a command at some time; returns what it has printed until it has ended. */
    private String interruptedAfter(CompletableFuture<Void> time) throws Exception {
        String kubeconfig = api.kubeconfig(directory, "", "").toString();
        Process process = ForkedJava.of(
                        List.of(),
                        Evenkeel.class,
                        List.of("rebalance", "--evict", "--kube", "--kubeconfig", kubeconfig))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        time.get();
        // The process's own method would close its output.
        boolean unused = process.toHandle().destroy();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(143, process.waitFor(), output);
        return output;
    }

    @Test
    @Tag("long")
    void unreadableCluster_isAnError() throws IOException {
        putWeb("a1", "a1", "a1");
        String kubeconfig = api.kubeconfig(directory, "", "").toString();
        api.close();
        Run run = Run.of("rebalance", "--evict", "--kube", "--kubeconfig", kubeconfig);
        assertEquals(2, run.exitCode(), run::out);
        assertTrue(run.err().contains("--kube: no connection to "), run::err);
    }

    @Test
    void options_thatMakeNoSense_areRejected() {
        CommandFiles.rejection(
                "evenkeel rebalance: --evict needs --kube",
                CommandFiles.run("rebalance", "--cluster", "uneven.yaml", "--evict"));
        Run alone = CommandFiles.run("rebalance", "--cluster", "uneven.yaml", "--batch", "2");
        assertTrue(alone.err().contains("--evict"), alone::err);
        assertEquals(2, alone.exitCode());
    }

    @Test
    void numbers_areChecked() throws IOException {
        CommandFiles.rejection("evenkeel rebalance: --batch must be at least 1, was 0", evict("--batch", "0"));
        CommandFiles.rejection("evenkeel rebalance: --timeout and --ready-timeout", evict("--timeout", "0"));
    }
}
