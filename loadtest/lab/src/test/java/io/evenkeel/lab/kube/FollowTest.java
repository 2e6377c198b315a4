package io.evenkeel.lab.kube;

import static io.evenkeel.lab.kube.ApiServerFaults.SOME_CHANGES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlaneFill;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.v1.Freshness;
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
                FollowedState state = new FollowedState("FollowTest", client, history, QUESTIONS.get(0));
                awaitAnswers(state);
                List<VersionedAnswer> answers;
                try (RandomApiChanges changes = new RandomApiChanges(admin, CLUSTER, CHANGES_PER_SECOND, 1);
                        SteadyAsker asker = new SteadyAsker(client, QUESTIONS)) {
                    ApiServerFaults faults = new ApiServerFaults(plane, proxy, changes, history);
                    changes.await(SOME_CHANGES);
                    state.require("at first");
                    faults.connectionsCut();
                    state.require("after connections were cut");
                    requireLogged("no connection to");
                    faults.apiServerKilled();
                    state.require("after the API server was killed");
                    // A kind that was still waiting since the cut is in the same outage, which is logged once.
                    requireLogged(" again");
                    faults.historyCompacted();
                    state.require("after history was compacted");
                    requireLogged("returned 410");
                    faults.readingSlow(5 * SOME_CHANGES, () -> requireBehind(state, history));
                    state.require("after it read slowly");
                    log();
                    tokenReplaced(admin, proxy, changes);
                    state.require("after its token was replaced");
                    requireLogged("returned 401");
                    changes.await(SOME_CHANGES);
                    answers = some(asker.answers());
                    System.out.printf("FollowTest: %,d changes made, %,d failed%n", changes.made(), changes.failed());
                    assertTrue(changes.failed() < changes.made(), () -> changes.failed() + " changes failed");
                }
                requireRight(answers, history);
                state.requireListed(admin, QUESTIONS, server.target());
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

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    private static void awaitAnswers(FollowedState state) {
        VersionedAnswer first = state.await("at the start", Freshness.getDefaultInstance());
        assertEquals(CLUSTER.shape().nodes(), first.values().size());
    }

    private static void requireBehind(FollowedState state, EtcdHistory history) {
        long reached = Objects.requireNonNull(state.await("of a slow reader", Freshness.getDefaultInstance())
                .versions()
                .get(ObjectKind.POD));
        assertTrue(reached < history.newest(ObjectKind.POD), "the slow reader kept up");
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
}
