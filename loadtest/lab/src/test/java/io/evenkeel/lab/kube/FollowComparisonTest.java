package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.Await;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlaneFill;
import io.evenkeel.lab.controlplane.WatchProxy;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.local.ServerUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks that the comparison of {@link FollowTest} finds exactly the faults that it must find. */
@Tag("kube")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FollowComparisonTest {
    private static final ClusterGenerator CLUSTER = new ClusterGenerator(ClusterShape.of(1, 60, 1_000));
    private static final int CHANGES_PER_SECOND = 100;
    private static final int CHANGES = 400;

    @SuppressWarnings("NullAway.Init") // Set before all tests, like those below.
    private Path directory;

    @SuppressWarnings("NullAway.Init")
    private ControlPlane plane;

    @SuppressWarnings("NullAway.Init")
    private EtcdHistory history;

    @SuppressWarnings("NullAway.Init")
    private RandomApiChanges changes;

    @BeforeAll
    void changeACluster(@TempDir Path work) throws Exception {
        directory = work;
        plane = ControlPlane.start(directory.resolve("plane"));
        history = new EtcdHistory(plane.etcd());
        ControlPlaneFill.fill(plane.client(), CLUSTER);
        changes = new RandomApiChanges(plane.client(), CLUSTER, CHANGES_PER_SECOND, 1);
    }

    @AfterAll
    void end() {
        changes.close();
        history.close();
        plane.close();
    }

    @ParameterizedTest
    @EnumSource
    void eachFaultOfTheFeed_isFound_andNothingIfThereIsNone(FeedFault kind) throws Exception {
        FeedFault.Fault fault = kind.fault();
        List<VersionedAnswer> answers;
        try (WatchProxy proxy = WatchProxy.start(plane.client(), fault);
                ServerUnderTest server = ServerUnderTest.serve(
                        List.of("-Xmx256m"),
                        FollowComparisonTest::show,
                        "--kube",
                        "--kubeconfig",
                        proxy.kubeconfig(directory.resolve("proxied")).toString());
                PlacementClient client = RemotePlacement.builder(server.target())
                        .deadline(Duration.ofSeconds(60))
                        .build()) {
            Await.until(() -> client.status().getReady());
            try (SteadyAsker asker = new SteadyAsker(client, FollowQuestions.about(CLUSTER))) {
                asker.awaitAnswer();
                fault.questionsAreAsked();
                changes.await(CHANGES);
                answers = asker.answers();
            }
        }
        FollowComparison comparison = FollowComparison.of(answers, history);
        System.out.printf(
                "ComparisonTest: %s: %,d times; %,d of %,d answers are wrong; the first is %.300s%n",
                kind,
                fault.made(),
                comparison.wrong().size(),
                comparison.compared(),
                comparison.wrong().stream().findFirst().orElse("none"));
        assertTrue(comparison.compared() > 0, "no answer names versions of all kinds");
        assertEquals(kind != FeedFault.NONE, fault.made() > 0, "the fault was made");
        assertEquals(kind != FeedFault.NONE, !comparison.wrong().isEmpty(), "a wrong answer was found");
    }

    private static void show(String line) {
        System.out.println(line);
    }
}
