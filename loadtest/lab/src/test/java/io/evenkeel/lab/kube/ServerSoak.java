package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.evenkeel.cli.Durations;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.Await;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlaneFill;
import io.evenkeel.lab.peer.PeerAnswer;
import io.evenkeel.lab.peer.PeerQuestion;
import io.evenkeel.lab.peer.PluginSide;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.local.Checkout;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers have the state of a changing cluster for a long time: one follows the API server, the other is fed by a
 * program. Meanwhile callers make all calls, and each round has every fault once:
 *
 * <pre>
 *   etcd ── API server ── proxy ──┬──────────────────► server "following"  ◄── random calls
 *           killed, its           ├── feeder, killed ► server "fed"        ◄── random calls
 *           history compacted     └──────────────────► index in this process, for the validator
 *                            cut, slow                 certificates and tokens are replaced
 * </pre>
 *
 * After each fault, both servers must answer from the newest state again. After each round, answers of the round are
 * compared with the model, the index is recounted, and the servers must hold no more memory, threads and file
 * descriptors than after the first round.
 */
@Timeout(value = 1, unit = TimeUnit.DAYS)
final class ServerSoak {
    private static final Duration DURATION = new Durations().convert(System.getProperty("soak.duration", "30m"));
    private static final ClusterGenerator CLUSTER =
            new ClusterGenerator(ClusterShape.of(1, 200, 3_000)).withNodes(Resources::of);
    private static final List<Pod> QUESTIONS = FollowQuestions.about(CLUSTER);
    private static final int CHANGES_PER_SECOND = 60;
    private static final int SOME_CHANGES = 300;
    private static final int LEAST_ROUNDS = 2;
    private static final int COMPARED_IN_A_ROUND = 100;
    private static final int MAX_OBJECTS = 1_000;
    private static final int SLOW_BYTES_PER_SECOND = 20_000;

    /** Longer than sessions may be idle. */
    private static final long QUIET_SECONDS = 8;

    /** The plugin's codes, and those of answers. */
    private static final Map<String, String> CODES = Map.of(
            "Unschedulable", "UNSCHEDULABLE", "UnschedulableAndUnresolvable", "UNSCHEDULABLE_AND_UNRESOLVABLE");

    /** The kinds that the plugin's answers depend on in this cluster. */
    private static final List<ObjectKind> OF_PLUGIN =
            List.of(ObjectKind.NODE, ObjectKind.POD, ObjectKind.SERVICE, ObjectKind.REPLICA_SET);

    @TempDir
    @SuppressWarnings("NullAway.Init") // Set by JUnit.
    private Path directory;

    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }

    private record Fault(String name, Action action) {}

    /** No object of an API server may be rejected. */
    private static final class NoRefusals implements KubeFeedListener {
        @Override
        public void changed(KindState state) {}

        @Override
        public void refused(ObjectKind kind, Refusal refusal) {
            throw new IllegalStateException("an object was rejected: " + refusal);
        }
    }

    @Test
    void servers_stayRight_andDoNotGrow_throughEveryFault() throws Exception {
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"));
                EtcdHistory history = new EtcdHistory(plane.etcd());
                CutProxy proxy = new CutProxy(plane.apiPort())) {
            ControlPlaneFill.fill(plane.client(), CLUSTER);
            Path proxied = Files.writeString(
                    directory.resolve("proxied"),
                    Files.readString(plane.kubeconfig()).replace(":" + plane.apiPort(), ":" + proxy.port()));
            RotatedCredentials credentials = new RotatedCredentials(plane, directory);
            Instance index = new Instance(InstanceOptions.standard());
            try (SoakedServer following =
                            new SoakedServer("following", credentials, "--kube", "--kubeconfig", proxied.toString());
                    SoakedServer fed = new SoakedServer("fed", credentials);
                    RestartedFeeder feeder = new RestartedFeeder(plane, fed.target(), proxied, directory);
                    PlacementClient here = EmbeddedPlacement.builder().over(index);
                    KubeFeed feed = KubeFeed.start(
                            index.clusterState(), MAX_OBJECTS, ClusterAccess.of(proxied, null), new NoRefusals());
                    PlacementClient ofFollowing = following.connect();
                    PlacementClient ofFed = fed.connect()) {
                CallOutcomes outcomes = new CallOutcomes();
                List<FollowedState> states = List.of(
                        new FollowedState("following", ofFollowing, history, QUESTIONS.get(0)),
                        new FollowedState("fed", ofFed, history, QUESTIONS.get(0)),
                        new FollowedState("here", here, history, QUESTIONS.get(0)));
                for (FollowedState state : states) {
                    state.require("at the start");
                }
                try (RandomApiChanges changes = new RandomApiChanges(plane.client(), CLUSTER, CHANGES_PER_SECOND, 1)) {
                    ApiServerFaults faults = new ApiServerFaults(plane, proxy, changes, history);
                    List<Fault> all = new ArrayList<>(List.of(
                            new Fault("connections were cut", faults::connectionsCut),
                            new Fault("the API server was killed", faults::apiServerKilled),
                            new Fault("history was compacted", faults::historyCompacted),
                            new Fault("it read slowly", () -> readSlowly(proxy, changes)),
                            new Fault("the feeder was killed", feeder::killAndRestart),
                            new Fault("the certificate was replaced", () -> replaceCertificate(credentials, following, fed)),
                            new Fault("the token was replaced", credentials::replaceToken)));
                    long end = System.nanoTime() + DURATION.toNanos();
                    for (int round = 1; round <= LEAST_ROUNDS || System.nanoTime() < end; round++) {
                        Collections.shuffle(all, new Random(round));
                        following.startCallers(CLUSTER, round, false);
                        fed.startCallers(CLUSTER, round, true);
                        List<VersionedAnswer> answers;
                        try (RandomCalls calls = new RandomCalls(
                                        CLUSTER, () -> EmbeddedPlacement.builder().over(index), outcomes, round, true);
                                SteadyAsker asker = new SteadyAsker(ofFollowing, QUESTIONS)) {
                            for (Fault fault : all) {
                                fault.action().run();
                                for (FollowedState state : states) {
                                    state.require("round " + round + ": after " + fault.name());
                                }
                            }
                            answers = asker.answers();
                        }
                        following.stopCallers();
                        fed.stopCallers();
                        assertEquals(List.of(), outcomes.unexpected());
                        requireRight(answers, history);
                        TimeUnit.SECONDS.sleep(QUIET_SECONDS);
                        following.requireFlat(round);
                        fed.requireFlat(round);
                    }
                    System.out.printf(
                            "%,d changes made, %,d failed; calls: %s; %s%n",
                            changes.made(), changes.failed(), following.outcomes(), fed.outcomes());
                }
                for (FollowedState state : states) {
                    state.require("at the end");
                }
                IndexValidator.validate(index.engine());
                requireEqualToNewServer(plane, states);
                requireEqualToPlugin(plane.client(), ofFollowing);
                states.get(0).requireListed(plane.client(), QUESTIONS, "unix:" + credentials.socket("following"));
                states.get(1).requireListed(plane.client(), QUESTIONS, "unix:" + credentials.socket("fed"));
            }
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
        int every = Math.max(1, answers.size() / COMPARED_IN_A_ROUND) | 1;
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
    private static void requireEqualToNewServer(ControlPlane plane, List<FollowedState> states) throws IOException {
        try (ServerUnderTest server = ServerUnderTest.serve(
                        "--kube", "--kubeconfig", plane.kubeconfig().toString());
                PlacementClient client = RemotePlacement.connect(server.target())) {
            new FollowedState("new", client, states.get(0).history(), QUESTIONS.get(0)).require("at the end");
            List<Object> right = answers(client);
            for (FollowedState state : states) {
                assertEquals(right, answers(state.client()));
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
        answers.add(client.listSpread(ListSpreadRequest.newBuilder()
                        .setIncludeDomains(true)
                        .setPageSize(1_000)
                        .build())
                .getWorkloadsList());
        return answers;
    }

    /** Requires the answers of kube-scheduler's own plugin for the objects that the API server lists. */
    private void requireEqualToPlugin(ApiServer cluster, PlacementClient client)
            throws IOException, InterruptedException {
        List<ClusterObject> objects = new ArrayList<>();
        for (ObjectKind kind : OF_PLUGIN) {
            FieldDescriptor field = ClusterObject.getDescriptor().findFieldByNumber(KindMessages.number(kind));
            for (Message object : cluster.list(kind)) {
                objects.add(
                        ClusterObject.newBuilder().setField(field, object).build());
            }
        }
        List<PeerQuestion> questions = Stream.of(Spread.values())
                .map(shape -> new PeerQuestion(shape, shape.in(CLUSTER), List.of(), 0))
                .toList();
        Map<String, PeerAnswer> answers = new PluginSide(
                        Checkout.loadtest("peer/go.mod").resolve("peer"), directory, new PrintWriter(System.out, true))
                .ask(objects.iterator(), questions, 1);
        for (PeerQuestion question : questions) {
            PeerAnswer answer = Objects.requireNonNull(answers.get(question.name()));
            Map<String, String> right = new TreeMap<>();
            answer.codes()
                    .forEach((node, code) -> right.put(
                            node,
                            code.equals("Success")
                                    ? "SUCCESS " + answer.scores().getOrDefault(node, 0)
                                    : CODES.get(code)));
            assertEquals(
                    right,
                    VersionedAnswer.ask(client, question.pod(), Freshness.getDefaultInstance())
                            .values(),
                    question.name());
        }
    }
}
