package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeDomain;
import io.evenkeel.v1.NodeExplanation;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExplainTextTest {
    @Test
    void domains_areTheEmptiestAndTheFullest_whenThereAreMoreThanRows() {
        ConstraintExplanation.Builder constraint =
                hard("rack").setEligibleDomainCount(30).setDomainCount(31);
        for (int i = 0; i < 30; i++) {
            constraint.addDomains(domain("r" + i, i).setNodeCount(2));
        }
        constraint.addDomains(DomainExplanation.newBuilder()
                .setValue("r30")
                .setNodeCount(2)
                .addIneligibilities(
                        ReasonCount.newBuilder().setMessage("cordoned").setNodeCount(2)));
        String text = new ExplainText(5).explain(response(constraint).build());
        assertTrue(text.contains("""
                    DOMAIN       PODS  SKEW AFTER  ADMITTED  NODES  FIT  EXCLUDED BY
                    r0              0           1  yes           2    1
                    r1              1           2  no            2    0
                    r2              2           3  no            2    0
                    ... 25 more
                    r28            28          29  no            2    0
                    r29            29          30  no            2    0
                    Not eligible: r30 (nodes: 2 cordoned).
                """), text);
    }

    @Test
    void domains_thatWereNotSent_areCountedAsSkipped() {
        ConstraintExplanation.Builder constraint =
                hard("rack").setEligibleDomainCount(1_000).setDomainCount(1_200);
        constraint.addDomains(domain("r0", 0)).addDomains(domain("r999", 999));
        String text = new ExplainText(5).explain(response(constraint).build());
        assertTrue(
                text.contains("r0               0           1  yes       - (fits)\n    ... 998 more\n    r999"), text);
        assertTrue(text.contains("Not eligible: 200 domains.\n"), text);
    }

    @Test
    void nodes_areGroupedByReason_andCutAtTheRows() {
        ExplainResponse.Builder response = response(
                        hard("zone").setSelfMatch(true).setGlobalMinimum(1))
                .setCandidateCount(12)
                .setPassedCount(4);
        for (int i = 0; i < 4; i++) {
            response.addVerdicts(NodeExplanation.newBuilder()
                    .setName("good-" + i)
                    .setCode(NodeCode.NODE_CODE_SUCCESS)
                    .addDomains(NodeDomain.newBuilder().setValue("z1").setMatchingPodCount(1)));
        }
        for (int i = 0; i < 9; i++) {
            response.addVerdicts(NodeExplanation.newBuilder()
                    .setName("full-" + i)
                    .setCode(NodeCode.NODE_CODE_UNSCHEDULABLE)
                    .setConstraintIndex(0)
                    .setDetail("[0] zone z" + i + ": 3 + 1 - 1 = 3 > maxSkew 1")
                    .addDomains(NodeDomain.newBuilder().setValue("z" + i).setMatchingPodCount(3)));
        }
        response.addVerdicts(NodeExplanation.newBuilder()
                .setName("bare")
                .setCode(NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE)
                .setConstraintIndex(0)
                .setDetail("[0] no label zone")
                .addDomains(NodeDomain.getDefaultInstance()));
        assertEquals(
                """
                4/12 nodes pass what is judged; not judged: resources.

                Nodes that pass what is judged
                  NODE    [0] zone
                  good-0  z1 (1)
                  good-1  z1 (1)
                  good-2  z1 (1)
                  and 1 more

                Why the other nodes are not available
                  NODES  REASON                         WHICH
                      9  [0] 3 + 1 - 1 = 3 > maxSkew 1  full-0, full-1, full-2, full-3, full-4, full-5 and 3 more
                      1  [0] no label zone              bare

                Not checked: resources.
                """,
                new ExplainText(3)
                        .place(response.setSummary("4/12 nodes pass what is judged; not judged: resources.")
                                .build()));
    }

    @Test
    void text_holdsNoControlCharacters_whateverTheNames() {
        ExplainResponse response = response(hard("rack\u001b[31m")
                        .setEligibleDomainCount(1)
                        .setDomainCount(1)
                        .addDomains(domain("r\u0007", 0)))
                .addVerdicts(NodeExplanation.newBuilder()
                        .setName("n\u001b[2J")
                        .setCode(NodeCode.NODE_CODE_SUCCESS)
                        .addDomains(NodeDomain.newBuilder().setValue("r\rx")))
                .setPassedCount(1)
                .build();
        String text = new ExplainText(5).explain(response);
        assertFalse(text.chars().anyMatch(each -> each != '\n' && Character.isISOControl(each)), text);
        assertTrue(text.contains("n?[2J"), text);
    }

    @Test
    void constraints_thatAreNotInForce_areExplained() {
        assertTrue(new ExplainText(5)
                .explain(ExplainResponse.getDefaultInstance())
                .contains("No constraint applies: the pod has none, and there are no cluster-level defaults."));
        String unowned = new ExplainText(5)
                .explain(ExplainResponse.newBuilder().setDefaulted(true).build());
        assertTrue(unowned.contains("ReplicationController, ReplicaSet or StatefulSet that selects them."), unowned);
    }

    @Test
    void words_areWrappedAtSpaces_longOnesAlone() {
        assertEquals(List.of("ab cd", "efghijk", "l"), Paragraphs.wrap("ab cd efghijk l", 6));
        assertEquals(List.of(), Paragraphs.wrap("", 6));
    }

    @Test
    void json_writesCharactersAsTheyAre() {
        String odd = "it's a < b && c > d = \"\\u0027\" \\\\u003c";
        String json = JsonText.of(ReasonCount.newBuilder().setMessage(odd).build());
        assertEquals(
                "{\n  \"reason\": \"NODE_REASON_UNSPECIFIED\",\n  \"message\": \"it's a < b && c > d = \\\"\\\\u0027\\\" \\\\\\\\u003c\",\n  \"nodeCount\": 0\n}",
                json);
    }

    private static ExplainResponse.Builder response(ConstraintExplanation.Builder constraint) {
        return ExplainResponse.newBuilder()
                .setEnteredCount(1)
                .addConstraints(constraint)
                .addUnjudgedRules("resources");
    }

    private static ConstraintExplanation.Builder hard(String topologyKey) {
        return ConstraintExplanation.newBuilder()
                .setConstraint(TopologySpreadConstraint.newBuilder()
                        .setTopologyKey(topologyKey)
                        .setMaxSkew(1)
                        .setWhenUnsatisfiable("DoNotSchedule"))
                .setEffectiveSelector("app=web");
    }

    private static DomainExplanation.Builder domain(String value, int pods) {
        return DomainExplanation.newBuilder()
                .setValue(value)
                .setMatchingPodCount(pods)
                .setEligible(true)
                .setResultingSkew(pods + 1)
                .setAdmitted(pods == 0)
                .setNodeCount(1)
                .setPassedNodeCount(pods == 0 ? 1 : 0);
    }
}
