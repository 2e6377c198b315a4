package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Durations;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.Await;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlaneFill;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three copies of a changing cluster live for a long time, while callers make all calls, and each fault happens once in
 * each round:
 *
 * <pre>
 *   etcd ── API server ── proxy ──┬──────────────────► server "following" ◄── random calls
 *           killed, its     cut,  ├── feeder, killed ► server "fed"       ◄── random calls
 *           history         slow  └──────────────────► an index here      ◄── random calls
 *           compacted                                  certificates and tokens of both servers are replaced
 * </pre>
 *
 * No call may fail because of a fault, and after each fault all copies must reach the newest state again. After each
 * round, some answers are compared with the model, and the servers must hold no more memory, threads and file
 * descriptors than after the first round. At the end, the index is recounted, and the answers must be those of the
 * model, of a new server, and of kube-scheduler's own plugin.
 */
@Timeout(value = 1, unit = TimeUnit.DAYS)
final class ServerSoak {
    private static final Duration DURATION = new Durations().convert(System.getProperty("soak.duration", "30m"));
    private static final ClusterGenerator CLUSTER =
            new ClusterGenerator(ClusterShape.of(1, 200, 3_000)).withNodes(Resources::of);
    private static final List<Pod> QUESTIONS = FollowQuestions.about(CLUSTER);
    private static final int CHANGES_PER_SECOND = 100;
    private static final int SOME_CHANGES = 300;
    private static final int LEAST_ROUNDS = 2;
    private static final int COMPARED_IN_A_ROUND = 100;
    private static final int SLOW_BYTES_PER_SECOND = 20_000;

    private static final long QUIET_SECONDS = RandomCalls.IDLE.getSeconds() + 3;

    @TempDir
    @SuppressWarnings("NullAway.Init") // Set by JUnit.
    private Path directory;

    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }

    private record Fault(String name, Action action) {}

    /** What is tested, and the state of each. */
    private record Copies(SoakedServer following, SoakedServer fed, SoakedIndex index, List<FollowedState> states) {
        void require(String when) {
            states.forEach(state -> state.require(when));
        }
    }

    @Test
    void copiesOfACluster_stayRight_andDoNotGrow_throughEveryFault() throws Exception {
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"));
                EtcdHistory history = new EtcdHistory(plane.etcd());
                CutProxy proxy = new CutProxy(plane.apiPort())) {
            ControlPlaneFill.fill(plane.client(), CLUSTER);
            Path proxied = Files.writeString(
                    directory.resolve("proxied"),
                    Files.readString(plane.kubeconfig()).replace(":" + plane.apiPort(), ":" + proxy.port()));
            RotatedCredentials credentials = new RotatedCredentials(plane, directory);
            try (SoakedServer following =
                            new SoakedServer("following", credentials, "--kube", "--kubeconfig", proxied.toString());
                    SoakedServer fed = new SoakedServer("fed", credentials);
                    RestartedFeeder feeder = new RestartedFeeder(plane, fed.target(), proxied, directory);
                    SoakedIndex index = new SoakedIndex(proxied);
                    PlacementClient ofFollowing = following.connect();
                    PlacementClient ofFed = fed.connect();
                    PlacementClient ofIndex = index.connect()) {
                Copies copies = new Copies(
                        following,
                        fed,
                        index,
                        List.of(
                                new FollowedState("following", ofFollowing, history, QUESTIONS.get(0)),
                                new FollowedState("fed", ofFed, history, QUESTIONS.get(0)),
                                new FollowedState("index", ofIndex, history, QUESTIONS.get(0))));
                copies.require("at the start");
                try (RandomApiChanges changes = new RandomApiChanges(plane.client(), CLUSTER, CHANGES_PER_SECOND, 1)) {
                    ApiServerFaults faults = new ApiServerFaults(plane, proxy, changes, history);
                    rounds(
                            copies,
                            List.of(
                                    new Fault("connections were cut", faults::connectionsCut),
                                    new Fault("the API server was killed", faults::apiServerKilled),
                                    new Fault("history was compacted", faults::historyCompacted),
                                    new Fault("reading was slow", () -> readSlowly(proxy, changes)),
                                    new Fault("the feeder was killed", feeder::killAndRestart),
                                    new Fault(
                                            "the certificate was replaced",
                                            () -> replaceCertificate(credentials, following, fed)),
                                    new Fault("the token was replaced", credentials::replaceToken)));
                    System.out.printf("%,d changes made, %,d failed%n", changes.made(), changes.failed());
                }
                copies.require("at the end");
                index.validate();
                requireEqualToNewServer(plane, copies);
                new PluginAnswers(plane.client(), CLUSTER, directory).require(ofFollowing);
                for (FollowedState state : copies.states().subList(0, 2)) {
                    state.requireListed(plane.client(), QUESTIONS, "unix:" + credentials.socket(state.server()));
                }
            }
        }
    }

    private static void rounds(Copies copies, List<Fault> faults) throws Exception {
        long end = System.nanoTime() + DURATION.toNanos();
        for (int round = 1; round <= LEAST_ROUNDS || System.nanoTime() < end; round++) {
            List<Fault> shuffled = new ArrayList<>(faults);
            Collections.shuffle(shuffled, new Random(round));
            // Answers of this server are compared with the model, which does not know assumed pods.
            copies.following().callers().start(CLUSTER, round, false);
            copies.fed().callers().start(CLUSTER, round, true);
            copies.index().callers().start(CLUSTER, round, true);
            FollowedState followed = copies.states().get(0);
            List<VersionedAnswer> answers;
            try (SteadyAsker asker = new SteadyAsker(followed.client(), QUESTIONS)) {
                for (Fault fault : shuffled) {
                    fault.action().run();
                    copies.require("after " + fault.name());
                }
                answers = asker.answers();
            }
            copies.following().callers().stop();
            copies.fed().callers().stop();
            copies.index().callers().stop();
            requireRight(answers, followed.history());
            TimeUnit.SECONDS.sleep(QUIET_SECONDS);
            copies.following().requireFlat(round);
            copies.fed().requireFlat(round);
        }
    }

    private static void readSlowly(CutProxy proxy, RandomApiChanges changes) throws InterruptedException {
        proxy.slow(SLOW_BYTES_PER_SECOND);
        changes.await(SOME_CHANGES);
        proxy.slow(Integer.MAX_VALUE);
    }

    private static void replaceCertificate(RotatedCredentials credentials, SoakedServer... servers)
            throws IOException, InterruptedException {
        String serial = credentials.replaceCertificate();
        for (SoakedServer server : servers) {
            Await.until(() -> credentials.presented(server.target()).equals(serial));
        }
    }

    private static void requireRight(List<VersionedAnswer> answers, EtcdHistory history)
            throws InterruptedException, InvalidObjectException {
        // Odd, because verdicts and numbers alternate.
        int every = answers.size() / COMPARED_IN_A_ROUND | 1;
        FollowComparison comparison = FollowComparison.of(
                IntStream.range(0, answers.size())
                        .filter(i -> i % every == 0)
                        .mapToObj(answers::get)
                        .toList(),
                history);
        System.out.printf("%,d of %,d answers were compared%n", comparison.compared(), answers.size());
        assertEquals(List.of(), comparison.wrong());
        assertTrue(comparison.compared() > 0, "no answer names versions of all kinds");
    }

    /** Requires the answers of a server that has just listed the cluster. */
    private static void requireEqualToNewServer(ControlPlane plane, Copies copies) throws IOException {
        try (ServerUnderTest server = ServerUnderTest.serve(
                        "--kube", "--kubeconfig", plane.kubeconfig().toString());
                PlacementClient client = RemotePlacement.connect(server.target())) {
            EtcdHistory history = copies.states().get(0).history();
            new FollowedState("new", client, history, QUESTIONS.get(0)).require("at the end");
            List<Object> right = answers(client);
            for (FollowedState state : copies.states()) {
                assertEquals(right, answers(state.client()), state.server());
            }
        }
    }

    private static List<Object> answers(PlacementClient client) {
        List<Object> answers = new ArrayList<>();
        answers.add(VersionedAnswer.numbers(client).values());
        for (Pod pod : QUESTIONS) {
            answers.add(VersionedAnswer.ask(client, pod, Freshness.getDefaultInstance())
                    .values());
        }
        answers.add(client.listSpread(
                        ListSpreadRequest.newBuilder().setPageSize(1_000).build())
                .getWorkloadsList());
        return answers;
    }
}
