package io.evenkeel.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the calls of the warm-up succeed. Otherwise only the code that rejects them would be warmed up. */
@Timeout(60)
final class WarmUpCallsTest {
    private static final int QUESTIONS = 300;

    private final TestServer server = TestServer.start();
    private final PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.server.port());
    private final ClusterFeed feed = client.feed();

    @BeforeEach
    void feed() {
        SnapshotResult fed = feed.snapshot(SmallCluster.objects().iterator());
        assertEquals(List.of(), fed.refusals());
    }

    @AfterEach
    void close() {
        feed.close();
        client.close();
        server.close();
    }

    @Test
    void questions_areAnswered_withHardAndSoftAndDefaultConstraints_ofNodesThatPassAndThatDoNot() {
        GetStatusResponse status = client.status();
        Set<Boolean> hard = new HashSet<>();
        Set<Boolean> soft = new HashSet<>();
        for (int question = 0; question < QUESTIONS; question++) {
            PodAnswer filtered = client.filter(
                            WarmUpCalls.filter(question, status.getRevision(), status.getNodeTableToken()))
                    .getAnswers(0);
            PodAnswer scored = client.score(
                            WarmUpCalls.score(question, status.getRevision(), status.getNodeTableToken()))
                    .getAnswers(0);
            PodAnswer evaluated =
                    client.evaluate(WarmUpCalls.evaluate(question)).getAnswers(0);
            assertEquals(PodAnswer.ResultCase.PACKED, filtered.getResultCase(), () -> "filtered: " + filtered);
            assertEquals(PodAnswer.ResultCase.PACKED, scored.getResultCase(), () -> "scored: " + scored);
            assertFalse(evaluated.hasError(), () -> "evaluated: " + evaluated);
            hard.add(filtered.getPacked().getHardConstraintCount() > 0);
            soft.add(scored.getPacked().getSoftConstraintCount() > 0);
        }
        assertEquals(Set.of(true, false), hard);
        assertEquals(Set.of(true, false), soft);
    }

    @Test
    void forms_andConstraints_occurInAllCombinations() {
        Set<String> asked = new HashSet<>();
        for (int question = 0; question < QUESTIONS; question++) {
            EvaluateRequest request = WarmUpCalls.evaluate(question);
            List<TopologySpreadConstraint> constraints =
                    request.getPods(0).getSpec().getTopologySpreadConstraintsList();
            asked.add(request.getOptions().getForm() + " "
                    + (constraints.isEmpty() ? "defaults" : constraints.get(0).getWhenUnsatisfiable())
                    + (request.getPods(0).getSpec().getNodeSelectorCount() > 0 ? " at first sight" : ""));
        }
        // Three forms, each with hard, soft and default constraints, the former two also with a new pod.
        assertEquals(15, asked.size(), asked::toString);
    }

    @Test
    void calls_overOneConnectionAfterAnother_areAnsweredWithoutAFailure_whileTheFeedGoesOn() {
        WarmUpCalls.snapshot(feed);
        GetStatusResponse before = client.status();
        int calls = 50 * WarmUpCalls.ROUND;
        for (int first = 0; first < 2 * calls; first += calls) {
            try (PlacementClient other = RemotePlacement.connect("127.0.0.1:" + server.server.port());
                    WarmUpCalls made = new WarmUpCalls(other, feed)) {
                for (int call = first; call < first + calls; call++) {
                    made.make(call);
                }
            }
        }
        GetStatusResponse after = client.status();
        // As many pods were added as removed.
        assertEquals(before.getPodCount(), after.getPodCount());
        // The last change is from the feed, which knows its version.
        assertEquals("101", pods(after).getResourceVersion());
    }

    @Test
    void failure_isThrown() {
        WarmUpCalls open = new WarmUpCalls(client, feed);
        open.close();
        assertThrows(RuntimeException.class, () -> open.make(1));
    }

    private static KindStatus pods(GetStatusResponse status) {
        return status.getKindsList().stream()
                .filter(kind -> kind.getKind() == ObjectKind.OBJECT_KIND_POD)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void pods_areAssumedAndForgotten_andChangesAreTaken() {
        for (int question = 0; question < QUESTIONS; question++) {
            AssumeResponse assumed = client.assume(WarmUpCalls.assume(question));
            assertEquals(0, assumed.getRefusalsCount() + assumed.getUnknownNodesCount());
            assertEquals(1, client.forget(WarmUpCalls.forget(question)).getForgottenCount());
            int pods = (int) client.status().getPodCount();
            assertEquals(
                    1,
                    feed.events(List.of(SmallCluster.change(question))).join().getAppliedCount());
            assertEquals(pods + (question % 2 == 0 ? 1 : -1), client.status().getPodCount());
        }
    }
}
