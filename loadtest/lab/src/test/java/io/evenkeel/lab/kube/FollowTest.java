package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Message;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlane.Program;
import io.evenkeel.lab.controlplane.ControlPlaneFill;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server follows a real API server with 500 nodes and 10,000 changing pods, through every fault. Each third answer,
 * if it names versions, must match the model at exactly these versions, as recorded from etcd: verdicts and scores of
 * all nodes, and the numbers of objects. At the end, a plain list must change nothing in the server.
 *
 * <p>{@link FollowComparisonTest} shows what the comparison finds, with faults on the way to the server: events of
 * pods, nodes and owners that are lost, late or stale, and lists that remove nothing. A lost DELETED event of a pod
 * shows only in the numbers, because an earlier event already marked the pod as terminating.
 */
@Tag("kube")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class FollowTest {
    private static final int CHANGES_PER_SECOND = 150;
    private static final int SOME_CHANGES = 300;

    /** Of this many answers, one is compared. Odd, because verdicts and numbers alternate. */
    private static final int EVERY = 3;

    private static final String ACCOUNTS = "/api/v1/namespaces/evenkeel/serviceaccounts";
    private static final Path RIGHTS = Path.of("../../server/deploy/rbac.yaml");
    private static final ClusterGenerator CLUSTER = new ClusterGenerator(ClusterShape.of(1, 500, 10_000));
    private static final List<Pod> QUESTIONS = FollowQuestions.about(CLUSTER);
    private static final int MAX_SHOWN = 5;

    @TempDir
    @SuppressWarnings("NullAway.Init") // Set by JUnit.
    private Path directory;

    /** What the server has logged since the last fault. Guarded by itself. */
    private final List<String> log = new ArrayList<>();

    @Test
    void answers_areThoseOfTheModel_atTheVersionsThatTheyName_throughEveryFault() throws Exception {
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"));
                EtcdHistory history = new EtcdHistory(plane.etcd());
                CutProxy proxy = new CutProxy(plane.apiPort())) {
            ApiServer admin = plane.client();
            ControlPlaneFill.fill(admin, CLUSTER);
            plane.kubectl("apply", "-f", RIGHTS.toString());
            newToken(admin);
            try (ServerUnderTest server = ServerUnderTest.serve(
                            List.of("-Xmx512m"),
                            this::hear,
                            "--kube",
                            "--kubeconfig",
                            kubeconfig(plane, proxy).toString());
                    PlacementClient client = RemotePlacement.builder(server.target())
                            .deadline(Duration.ofSeconds(60))
                            .build()) {
                awaitAnswers(client);
                List<VersionedAnswer> answers;
                try (RandomApiChanges changes = new RandomApiChanges(admin, CLUSTER, CHANGES_PER_SECOND, 1);
                        SteadyAsker asker = new SteadyAsker(client, QUESTIONS)) {
                    changes.await(SOME_CHANGES);
                    requireUpToDate("at first", client, history);
                    connectionsCut(proxy, changes);
                    requireUpToDate("after connections were cut", client, history);
                    requireLogged("no connection to");
                    apiServerKilled(plane, changes);
                    requireUpToDate("after the API server was killed", client, history);
                    // A kind that was still waiting since the cut is in the same outage, which is logged once.
                    requireLogged(" again");
                    historyCompacted(plane, proxy, changes, history);
                    requireUpToDate("after history was compacted", client, history);
                    requireLogged("returned 410");
                    readerSlow(proxy, changes, client, history);
                    requireUpToDate("after it read slowly", client, history);
                    log();
                    tokenReplaced(admin, proxy, changes);
                    requireUpToDate("after its token was replaced", client, history);
                    requireLogged("returned 401");
                    changes.await(SOME_CHANGES);
                    answers = some(asker.answers());
                    System.out.printf("FollowTest: %,d changes made, %,d failed%n", changes.made(), changes.failed());
                    assertTrue(changes.failed() < changes.made(), () -> changes.failed() + " changes failed");
                }
                requireRight(answers, history);
                requireEndIsList(admin, client, server.target(), history);
                requireLogged(Stream.of(ObjectKind.values())
                        .map(FollowTest::plainListEnded)
                        .toArray(String[]::new));
            }
            assertEquals(
                    List.of(),
                    log().stream().filter(line -> line.contains(" WARNING ")).toList());
        }
    }

    private void hear(String line) {
        System.out.println(line);
        synchronized (log) {
            log.add(line);
        }
    }

    /** What was logged since the last call of this method. */
    private List<String> log() {
        synchronized (log) {
            List<String> lines = List.copyOf(log);
            log.clear();
            return lines;
        }
    }

    /**
     * Requires that each text was logged since the last call, which proves that the fault reached the server. Log lines
     * arrive through a pipe, later than answers, so this waits for them.
     */
    private void requireLogged(String... texts) {
        List<String> missing = new ArrayList<>(List.of(texts));
        List<String> lines = new ArrayList<>();
        long begin = System.nanoTime();
        while (true) {
            List<String> more = log();
            lines.addAll(more);
            missing.removeIf(text -> more.stream().anyMatch(line -> line.contains(text)));
            if (missing.isEmpty()) {
                return;
            }
            if (System.nanoTime() - begin > Duration.ofSeconds(10).toNanos()) {
                throw new AssertionError(missing + " not in " + lines);
            }
            pause();
        }
    }

    /** What the server logs when the plain list of a kind was fed completely. */
    private static String plainListEnded(ObjectKind kind) {
        return "feeder \"plain-list\" disconnected: " + kind.kindName().toLowerCase(Locale.ROOT) + ';';
    }

    /** The server must recover to the newest state by itself after every fault. */
    private static void requireUpToDate(String when, PlacementClient client, EtcdHistory history) {
        Freshness.Builder demanded = Freshness.newBuilder();
        for (ObjectKind kind : ObjectKind.values()) {
            if (history.newest(kind) > 0) {
                demanded.addResourceVersions(KindVersion.newBuilder()
                        .setKind(KindMessages.inMessages(kind))
                        .setResourceVersion(Long.toString(history.newest(kind))));
            }
        }
        VersionedAnswer answer = patiently(when, client, demanded.build());
        System.out.println("FollowTest: " + when + ", the answer names " + answer.versions());
    }

    /** Retries if the requirement is not met within a call's deadline, or if versions are unknown for a while. */
    private static VersionedAnswer patiently(String when, PlacementClient client, Freshness demanded) {
        long begin = System.nanoTime();
        while (true) {
            PlacementException failed = null;
            try {
                VersionedAnswer answer = VersionedAnswer.ask(client, QUESTIONS.get(0), demanded);
                if (answer.namesAll()) {
                    return answer;
                }
            } catch (PlacementException e) {
                failed = e;
            }
            if (System.nanoTime() - begin > Duration.ofMinutes(2).toNanos()) {
                throw new AssertionError("no newest answer that names versions of all kinds " + when, failed);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    private static void awaitAnswers(PlacementClient client) {
        VersionedAnswer first = patiently("at the start", client, Freshness.getDefaultInstance());
        assertEquals(CLUSTER.shape().nodes(), first.values().size());
    }

    private static void connectionsCut(CutProxy proxy, RandomApiChanges changes) throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            proxy.cut();
            changes.await(SOME_CHANGES / 4);
        }
    }

    private static void apiServerKilled(ControlPlane plane, RandomApiChanges changes)
            throws IOException, InterruptedException {
        plane.kill(Program.API_SERVER);
        TimeUnit.SECONDS.sleep(3);
        plane.start(Program.API_SERVER);
        changes.await(SOME_CHANGES);
    }

    /** While the server cannot connect, the history is compacted, so its next watch is answered with 410. */
    private static void historyCompacted(
            ControlPlane plane, CutProxy proxy, RandomApiChanges changes, EtcdHistory history)
            throws IOException, InterruptedException {
        proxy.refuse(true);
        proxy.cut();
        changes.await(SOME_CHANGES);
        plane.kill(Program.API_SERVER);
        plane.compact(history.newest(ObjectKind.POD));
        plane.start(Program.API_SERVER);
        changes.await(SOME_CHANGES);
        proxy.refuse(false);
        changes.await(SOME_CHANGES);
    }

    private static void readerSlow(
            CutProxy proxy, RandomApiChanges changes, PlacementClient client, EtcdHistory history)
            throws InterruptedException {
        proxy.slow(20_000);
        changes.await(5 * SOME_CHANGES);
        long reached = Objects.requireNonNull(patiently("of a slow reader", client, Freshness.getDefaultInstance())
                .versions()
                .get(ObjectKind.POD));
        assertTrue(reached < history.newest(ObjectKind.POD), "the slow reader kept up");
        proxy.slow(Integer.MAX_VALUE);
    }

    private void tokenReplaced(ApiServer admin, CutProxy proxy, RandomApiChanges changes)
            throws IOException, InterruptedException {
        String revoked = Files.readString(directory.resolve("token"));
        admin.call("DELETE", ACCOUNTS + "/evenkeel", "").join();
        // The API server caches for some seconds that a token was valid.
        while (isGood(admin, revoked)) {
            pause();
        }
        proxy.cut();
        changes.await(SOME_CHANGES);
        admin.call("POST", ACCOUNTS, "{\"metadata\": {\"name\": \"evenkeel\"}}").join();
        newToken(admin);
    }

    private static boolean isGood(ApiServer admin, String token) {
        return admin.call(
                        "POST",
                        "/apis/authentication.k8s.io/v1/tokenreviews",
                        "{\"spec\": {\"token\": \"%s\"}}".formatted(token))
                .join()
                .path("status")
                .path("authenticated")
                .asBoolean();
    }

    /** Creates a token of the service account, and replaces the token file atomically. */
    private void newToken(ApiServer admin) throws IOException {
        JsonNode token = admin.call("POST", ACCOUNTS + "/evenkeel/token", "{\"spec\": {\"expirationSeconds\": 3600}}")
                .join();
        Path written = Files.writeString(
                directory.resolve("token.new"),
                token.path("status").path("token").asText());
        Files.move(written, directory.resolve("token"), StandardCopyOption.ATOMIC_MOVE);
    }

    private Path kubeconfig(ControlPlane plane, CutProxy proxy) throws IOException {
        String authority = Base64.getEncoder()
                .encodeToString(Files.readAllBytes(plane.directory().resolve("ca.crt")));
        return Files.writeString(
                directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: proxied
                contexts: [{name: proxied, context: {cluster: proxied, user: evenkeel}}]
                clusters: [{name: proxied, cluster: {server: "https://127.0.0.1:%d", certificate-authority-data: "%s"}}]
                users: [{name: evenkeel, user: {tokenFile: "%s"}}]
                """.formatted(proxy.port(), authority, directory.resolve("token")));
    }

    private static List<VersionedAnswer> some(List<VersionedAnswer> all) {
        return IntStream.range(0, all.size())
                .filter(i -> i % EVERY == 0)
                .mapToObj(all::get)
                .toList();
    }

    private static void requireRight(List<VersionedAnswer> answers, EtcdHistory history)
            throws InterruptedException, InvalidObjectException {
        FollowComparison comparison = FollowComparison.of(answers, history);
        System.out.printf(
                "FollowTest: %,d answers, of which %,d name versions of all kinds, at %,d states, among %,d changes%n",
                answers.size(), comparison.compared(), comparison.states(), history.events());
        assertEquals(
                List.of(),
                comparison.wrong().stream().limit(MAX_SHOWN).toList(),
                () -> comparison.wrong().size() + " of " + comparison.compared() + " answers are wrong");
        assertTrue(
                comparison.compared() >= answers.size() / 2,
                comparison.compared() + " of " + answers.size() + " answers name versions of all kinds");
        assertTrue(comparison.states() >= 100, () -> "answers are about " + comparison.states() + " states");
    }

    /**
     * After all changes, the list of each kind matches the history, answers match that state, and feeding the list
     * changes nothing in the server.
     */
    private static void requireEndIsList(ApiServer admin, PlacementClient client, String target, EtcdHistory history)
            throws IOException, InvalidObjectException {
        for (ObjectKind kind : ObjectKind.values()) {
            List<Message> listed = admin.list(kind);
            assertEquals(listed.size(), history.objects(kind, Long.MAX_VALUE).size(), kind::kindName);
        }
        Freshness.Builder demanded = Freshness.newBuilder();
        for (ObjectKind kind : ObjectKind.values()) {
            demanded.addResourceVersions(KindVersion.newBuilder()
                    .setKind(KindMessages.inMessages(kind))
                    .setResourceVersion(Long.toString(Math.max(1, history.newest(kind)))));
        }
        Model model = new Model(history);
        for (Pod pod : QUESTIONS) {
            VersionedAnswer answer = VersionedAnswer.ask(client, pod, demanded.build());
            assertEquals(model.values(pod, answer.versions()), answer.values());
            for (ObjectKind kind : ObjectKind.values()) {
                assertTrue(Objects.requireNonNull(answer.versions().get(kind)) >= history.newest(kind), kind::kindName);
            }
        }
        assertEquals(List.of(), PlainList.changes(admin, target));
    }
}
