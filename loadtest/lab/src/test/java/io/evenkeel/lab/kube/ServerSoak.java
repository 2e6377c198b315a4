package io.evenkeel.lab.kube;

import static io.evenkeel.lab.kube.ApiServerFaults.SOME_CHANGES;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Four copies of a changing cluster live for a long time, while callers make all calls, and each fault happens once in
 * each round:
 *
 * <pre>
 *   etcd ─┬─ API server ── proxy ──┬──────────────────► server "following" ◄── random calls
 *         │  killed, its     cut,  ├── feeder, killed ► server "fed"       ◄── random calls
 *         │  history         slow  └──────────────────► an index here      ◄── random calls
 *         │  compacted
 *         └─ scheduler, killed ── proxy ──────────────► server "scheduled" ◄── random calls
 * </pre>
 *
 * The certificate of the servers, that of their clients with its authority, and the tokens of callers are replaced. No
 * call may fail because of a fault, and after each fault all copies must reach the newest state again. After each
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
    private static final int MIN_ROUNDS = 2;
    private static final int COMPARED_IN_A_ROUND = 100;

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
    private record Copies(
            List<SoakedServer> servers, SoakedIndex index, RestartedScheduler scheduler, List<FollowedState> states) {
        List<Callers> callers() {
            return Stream.concat(servers.stream().map(SoakedServer::callers), Stream.of(index.callers()))
                    .toList();
        }

        void require(String when) {
            states.forEach(state -> state.require(when));
        }
    }

    @Test
    void copiesOfACluster_stayRight_andDoNotGrow_throughEveryFault() throws Exception {
        BlockingQueue<EtcdHistory.ObjectChange> recorded = new LinkedBlockingQueue<>();
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"));
                EtcdHistory history = new EtcdHistory(plane.etcd(), recorded::add);
                CutProxy proxy = new CutProxy(plane.apiPort())) {
            ControlPlaneFill.fill(plane.client(), CLUSTER);
            Path proxied = Files.writeString(
                    directory.resolve("proxied"),
                    Files.readString(plane.kubeconfig()).replace(":" + plane.apiPort(), ":" + proxy.port()));
            RotatedCredentials credentials = new RotatedCredentials(plane, directory);
            // The answers of the first and the last are compared with the model, which does not know assumed pods.
            try (SoakedServer following = new SoakedServer(
                            "following", false, credentials, "--kube", "--kubeconfig", proxied.toString());
                    SoakedServer fed = new SoakedServer("fed", true, credentials);
                    SoakedServer scheduled = new SoakedServer("scheduled", false, credentials);
                    RestartedFeeder feeder = new RestartedFeeder(credentials, fed.target(), proxied, directory);
                    RestartedScheduler scheduler = new RestartedScheduler(recorded, scheduled, QUESTIONS);
                    SoakedIndex index = new SoakedIndex(proxied);
                    PlacementClient ofFollowing = following.connect();
                    PlacementClient ofFed = fed.connect();
                    PlacementClient ofScheduled = scheduled.connect();
                    PlacementClient ofIndex = index.connect()) {
                Copies copies = new Copies(
                        List.of(following, fed, scheduled),
                        index,
                        scheduler,
                        List.of(
                                new FollowedState("following", ofFollowing, history, QUESTIONS.get(0)),
                                new FollowedState("fed", ofFed, history, QUESTIONS.get(0)),
                                new FollowedState("scheduled", ofScheduled, history, QUESTIONS.get(0)),
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
                                    new Fault("reading was slow", () -> faults.readingSlow(SOME_CHANGES, () -> {})),
                                    new Fault("the feeder was killed", feeder::killAndRestart),
                                    new Fault("the scheduler was killed", scheduler::kill),
                                    new Fault(
                                            "the servers' certificate was replaced",
                                            () -> replaceCertificate(credentials, copies)),
                                    new Fault(
                                            "the clients' certificate was replaced",
                                            () -> replaceClientCertificate(credentials, copies)),
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
        for (int round = 1; round <= MIN_ROUNDS || System.nanoTime() < end; round++) {
            List<Fault> shuffled = new ArrayList<>(faults);
            Collections.shuffle(shuffled, new Random(round));
            for (Callers callers : copies.callers()) {
                callers.start(CLUSTER, round);
            }
            FollowedState followed = copies.states().get(0);
            List<VersionedAnswer> answers;
            try (SteadyAsker asker = new SteadyAsker(followed.client(), QUESTIONS)) {
                for (Fault fault : shuffled) {
                    fault.action().run();
                    copies.require("after " + fault.name());
                }
                answers = asker.answers();
            }
            copies.callers().forEach(Callers::stop);
            requireRight(answers, followed.history());
            requireRight(copies.scheduler().takeAnswers(), followed.history());
            copies.scheduler().requireEnds(round);
            TimeUnit.SECONDS.sleep(QUIET_SECONDS);
            for (SoakedServer server : copies.servers()) {
                server.requireFlat(round);
            }
        }
    }

    private static void replaceCertificate(RotatedCredentials credentials, Copies copies)
            throws IOException, InterruptedException {
        String serial = credentials.replaceCertificate();
        for (SoakedServer server : copies.servers()) {
            Await.until(() -> credentials.presented(server.target()).equals(serial));
        }
    }

    private static void replaceClientCertificate(RotatedCredentials credentials, Copies copies)
            throws IOException, InterruptedException {
        credentials.replaceClient();
        for (Callers callers : copies.callers()) {
            callers.reconnect();
        }
        credentials.rejectOldClients();
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
