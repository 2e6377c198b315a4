package io.evenkeel.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.GetStatusResponse;
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
final class UsualCallsTest {
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
                            UsualCalls.filter(question, status.getRevision(), status.getNodeTableToken()))
                    .getAnswers(0);
            PodAnswer scored = client.score(
                            UsualCalls.score(question, status.getRevision(), status.getNodeTableToken()))
                    .getAnswers(0);
            PodAnswer evaluated = client.evaluate(UsualCalls.evaluate(question)).getAnswers(0);
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
    void eachKindOfCall_comesToEachQuestion_inItsTurns() {
        for (int kind = 0; kind < WarmUpCaller.CALLS; kind++) {
            Set<String> asked = new HashSet<>();
            for (int turn = kind; turn < WarmUpCaller.CALLS * QUESTIONS; turn += WarmUpCaller.CALLS) {
                EvaluateRequest request = UsualCalls.evaluate(WarmUpCaller.question(turn));
                List<TopologySpreadConstraint> constraints =
                        request.getPods(0).getSpec().getTopologySpreadConstraintsList();
                asked.add(request.getOptions().getForm() + " "
                        + (constraints.isEmpty()
                                ? "defaults"
                                : constraints.get(0).getWhenUnsatisfiable())
                        + (request.getPods(0).getSpec().getNodeSelectorCount() > 0 ? " at first sight" : ""));
            }
            // Three forms, each with hard, soft and default constraints, the former two also with a new pod.
            assertEquals(15, asked.size(), asked::toString);
        }
    }

    @Test
    void pods_areAssumedAndForgotten_andChangesAreTaken() {
        for (int question = 0; question < QUESTIONS; question++) {
            AssumeResponse assumed = client.assume(UsualCalls.assume(question));
            assertEquals(0, assumed.getRefusalsCount() + assumed.getUnknownNodesCount());
            assertEquals(1, client.forget(UsualCalls.forget(question)).getForgottenCount());
            int pods = (int) client.status().getPodCount();
            assertEquals(
                    1,
                    feed.events(List.of(SmallCluster.change(question))).join().getAppliedCount());
            assertEquals(pods + (question % 2 == 0 ? 1 : -1), client.status().getPodCount());
        }
    }
}
