package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.JsonFormat;
import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IncomingPodTranslatorTest {
    private static final String SPREAD = "spec.topologySpreadConstraints[0].";
    private static final String GOOD = "\"maxSkew\":1,\"topologyKey\":\"zone\",\"whenUnsatisfiable\":\"DoNotSchedule\"";

    private final IncomingPodTranslator translator = new IncomingPodTranslator(PodLimits.DEFAULT);

    @Test
    void pod_isTranslatedWhole() throws Exception {
        String json = new String(
                Objects.requireNonNull(IncomingPodTranslatorTest.class.getResourceAsStream("/wire/pod.json"))
                        .readAllBytes(),
                StandardCharsets.UTF_8);
        IncomingPod expected = new IncomingPod(
                "shop",
                Map.of("app", "web", "pod-template-hash", "7d4b9", "tier", ""),
                Map.of("disktype", "ssd"),
                List.of(new NodeTerm(
                        List.of(
                                new NodeRequirement("topology.kubernetes.io/zone", "NotIn", List.of("zoneC")),
                                new NodeRequirement("cpus", "Gt", List.of("4"))),
                        List.of(new NodeRequirement("metadata.name", "In", List.of("node-3"))))),
                List.of(
                        new TaintToleration("dedicated", "Equal", "infra", "NoSchedule"),
                        new TaintToleration("", "Exists", "", "NoExecute")),
                List.of(
                        new SpreadConstraint(
                                2,
                                "topology.kubernetes.io/zone",
                                true,
                                new PodSelector(List.of(
                                        LabelRequirement.equal("app", "web"),
                                        new LabelRequirement(
                                                "tier", LabelRequirement.Operator.IN, List.of("", "front")))),
                                List.of("pod-template-hash"),
                                3,
                                false,
                                true),
                        new SpreadConstraint(1, "kubernetes.io/hostname", false, null, List.of(), 0, true, false)),
                new ControllerRef("apps/v1", "ReplicaSet", "web-7d4b9"),
                PodRequests.of(Map.of("cpu", 250L, "memory", 1L << 30), List.of()),
                "node-3");
        assertEquals(expected, translator.translate(pod(json)));
    }

    @Test
    void pod_needsNeitherNameNorUidNorNamespace() throws Exception {
        assertEquals(
                new IncomingPod("default", Map.of(), Map.of(), null, List.of(), List.of(), null),
                translator.translate(Pod.getDefaultInstance()));
    }

    @Test
    void nodeName_isADemand() throws Exception {
        Pod.Builder pod = Pod.newBuilder();
        pod.getSpecBuilder().setNodeName("n1");
        assertEquals("n1", translator.translate(pod.build()).nodeName());
    }

    @Test
    void controller_isTheFirstOwnerThatSaysSo() throws Exception {
        IncomingPod pod = translator.translate(pod("""
                {"metadata":{"ownerReferences":[{"kind":"A"},{"kind":"B","controller":false},
                  {"apiVersion":"x/v1","kind":"C","name":"c","controller":true},{"kind":"D","controller":true}]}}
                """));
        assertEquals(new ControllerRef("x/v1", "C", "c"), pod.controller());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
                    {}                                                          | null
                    {"nodeAffinity":{}}                                         | null
                    {"nodeAffinity":{"REQUIRED":{}}}                            | 0
                    {"nodeAffinity":{"REQUIRED":{"nodeSelectorTerms":[{},{}]}}} | 2
                    """)
    void requiredAffinity_isAbsent_onlyIfThePodHasNone(String affinity, Integer terms) throws Exception {
        IncomingPod pod = translator.translate(pod("{\"spec\":{\"affinity\":"
                + affinity.replace("REQUIRED", "requiredDuringSchedulingIgnoredDuringExecution") + "}}"));
        if (terms == null) {
            assertNull(pod.affinityTerms());
        } else {
            assertEquals(Collections.nCopies(terms, new NodeTerm(List.of(), List.of())), pod.affinityTerms());
        }
    }

    @Test
    void affinityAndTolerations_areNotJudged() throws Exception {
        IncomingPod pod = translator.translate(pod("""
                {"spec":{"tolerations":[{"key":"-","operator":"Near","value":"?","effect":"Sometimes"}],
                  "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
                    {"matchExpressions":[{"key":"/","operator":"Like"}],
                     "matchFields":[{"key":"x","values":["a","b"]}]}]}}}}}
                """));
        assertEquals(List.of(new TaintToleration("-", "Near", "?", "Sometimes")), pod.tolerations());
        assertEquals(
                List.of(new NodeTerm(
                        List.of(new NodeRequirement("/", "Like", List.of())),
                        List.of(new NodeRequirement("x", "", List.of("a", "b"))))),
                pod.affinityTerms());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                GOOD,
                GOOD + ",\"labelSelector\":{}",
                "\"maxSkew\":2147483647,\"minDomains\":2147483647,\"topologyKey\":\"Any /Text\","
                        + "\"whenUnsatisfiable\":\"ScheduleAnyway\"",
                GOOD + ",\"nodeAffinityPolicy\":\"Honor\",\"nodeTaintsPolicy\":\"Ignore\"",
                // Kubernetes rejects these three, but the answer is unambiguous.
                GOOD + "},{" + GOOD,
                GOOD + ",\"matchLabelKeys\":[\"a\"]",
                GOOD + ",\"minDomains\":1,\"whenUnsatisfiable\":\"ScheduleAnyway\"",
                GOOD + ",\"labelSelector\":{\"matchExpressions\":"
                        + "[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"\",\"b\"]}]}",
                GOOD + ",\"labelSelector\":{\"matchLabels\":{\"a-1.b/C_d.e-f\":\"Aa0._-z\"}}",
            })
    void goodConstraints_areTaken(String constraints) throws Exception {
        Pod pod = constrained(constraints);
        assertEquals(
                pod.getSpec().getTopologySpreadConstraintsCount(),
                translator.translate(pod).constraints().size());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    "maxSkew":0                   | maxSkew            | must be at least 1, was 0
                    "maxSkew":-5                  | maxSkew            | must be at least 1, was -5
                    "minDomains":0                | minDomains         | must be at least 1, was 0
                    "minDomains":-2147483648      | minDomains         | must be at least 1, was -2147483648
                    "topologyKey":""              | topologyKey        | must not be empty
                    "whenUnsatisfiable":""        | whenUnsatisfiable  | \
                        must be DoNotSchedule or ScheduleAnyway, was ""
                    "whenUnsatisfiable":"doNotSchedule" | whenUnsatisfiable | \
                        must be DoNotSchedule or ScheduleAnyway, was "doNotSchedule"
                    "nodeAffinityPolicy":""       | nodeAffinityPolicy | must be Honor or Ignore, was ""
                    "nodeAffinityPolicy":"honor"  | nodeAffinityPolicy | must be Honor or Ignore, was "honor"
                    "nodeTaintsPolicy":"Never"    | nodeTaintsPolicy   | must be Honor or Ignore, was "Never"
                    "matchLabelKeys":["a",""]     | matchLabelKeys[1]  | must not be empty
                    "matchLabelKeys":["a b"]      | matchLabelKeys[0]  | must be a label key
                    "labelSelector":{"matchLabels":{"-a":""}}     | labelSelector.matchLabels    | \
                        key must be a label key
                    "labelSelector":{"matchLabels":{"":""}}       | labelSelector.matchLabels    | \
                        key must be a label key
                    "labelSelector":{"matchLabels":{"a":"b/c"}}   | labelSelector.matchLabels[a] | \
                        must be a label value
                    """)
    void badConstraint_namesTheFieldTheRuleAndTheValue(String fields, String field, String description)
            throws Exception {
        assertBad(fields, field, description);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    "key":"a","operator":"Gt","values":["1"]               | operator  | \
                        must be In, NotIn, Exists or DoesNotExist, was "Gt"
                    "key":"a","operator":""                                | operator  | \
                        must be In, NotIn, Exists or DoesNotExist, was ""
                    "key":"a","operator":"In"                              | values    | \
                        must not be empty with operator In
                    "key":"a","operator":"NotIn","values":[]               | values    | \
                        must not be empty with operator NotIn
                    "key":"a","operator":"Exists","values":["b"]           | values    | \
                        must be empty with operator Exists, had 1
                    "key":"a","operator":"DoesNotExist","values":["b","c"] | values    | \
                        must be empty with operator DoesNotExist, had 2
                    "operator":"Exists"                                    | key       | must not be empty
                    "key":"A/b","operator":"Exists"                        | key       | must be a label key
                    "key":"a","operator":"In","values":["b","-"]           | values[1] | must be a label value
                    """)
    void badExpression_namesTheFieldTheRuleAndTheValue(String fields, String field, String description)
            throws Exception {
        assertBad(
                "\"labelSelector\":{\"matchExpressions\":[{" + fields + "}]}",
                "labelSelector.matchExpressions[0]." + field,
                description);
    }

    private void assertBad(String fields, String field, String description) throws Exception {
        // If a field is given twice, the second value counts.
        List<FieldViolation> violations = violations(constrained(GOOD + "," + fields));
        assertEquals(1, violations.size(), violations::toString);
        assertEquals(SPREAD + field, violations.get(0).getField());
        assertTrue(violations.get(0).getDescription().startsWith(description), violations::toString);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"metadata":{"labels":{"a/b/c":"x"}}}               | metadata.labels
                    {"metadata":{"labels":{"/b":"x"}}}                  | metadata.labels
                    {"metadata":{"labels":{"a..b/c":"x"}}}              | metadata.labels
                    {"metadata":{"labels":{"a":"x y"}}}                 | metadata.labels[a]
                    {"metadata":{"labels":{"a":"\u00e9"}}}              | metadata.labels[a]
                    {"spec":{"nodeSelector":{"a":"b","c.d/e":"."}}}     | spec.nodeSelector[c.d/e]
                    """)
    void badLabel_namesItsMap(String json, String field) throws Exception {
        List<FieldViolation> violations = violations(pod(json));
        assertEquals(
                List.of(field),
                violations.stream().map(FieldViolation::getField).toList());
    }

    @Test
    void everyViolation_isReported() throws Exception {
        List<FieldViolation> violations = violations(pod("""
                {"metadata":{"labels":{"a":"b c"}},"spec":{"topologySpreadConstraints":[
                  {"maxSkew":1,"topologyKey":"a","whenUnsatisfiable":"DoNotSchedule"},
                  {"nodeTaintsPolicy":"X",
                   "labelSelector":{"matchExpressions":[{"key":"a","operator":"In"},{"operator":"x"}]}}]}}
                """));
        assertEquals(
                List.of(
                        "metadata.labels[a]",
                        "spec.topologySpreadConstraints[1].maxSkew",
                        "spec.topologySpreadConstraints[1].topologyKey",
                        "spec.topologySpreadConstraints[1].whenUnsatisfiable",
                        "spec.topologySpreadConstraints[1].nodeTaintsPolicy",
                        "spec.topologySpreadConstraints[1].labelSelector.matchExpressions[0].values",
                        "spec.topologySpreadConstraints[1].labelSelector.matchExpressions[1].key",
                        "spec.topologySpreadConstraints[1].labelSelector.matchExpressions[1].operator"),
                violations.stream().map(FieldViolation::getField).toList());
        assertEquals(
                "maxSkew must be at least 1, was 0 (spec.topologySpreadConstraints[1].maxSkew)",
                Violations.message(List.of(violations.get(1))));
    }

    @Test
    void tooMuch_isRefused_byTheLimitsGiven() {
        Pod pod = Pod.newBuilder()
                .setSpec(PodSpec.newBuilder()
                        .addAllTopologySpreadConstraints(
                                Collections.nCopies(10_000, TopologySpreadConstraint.getDefaultInstance())))
                .build();
        assertEquals(
                List.of(Violations.of("spec.topologySpreadConstraints", "must have at most 64 entries, had 10000")),
                violations(pod));
        Pod labelled = Pod.newBuilder()
                .setSpec(PodSpec.newBuilder().putAllNodeSelector(Map.of("a", "1", "b", "2", "c", "3")))
                .build();
        InvalidObjectException refused = assertThrows(
                InvalidObjectException.class, () -> new IncomingPodTranslator(new PodLimits(1, 2)).translate(labelled));
        assertEquals("nodeSelector must have at most 2 entries, had 3 (spec.nodeSelector)", refused.getMessage());
    }

    @Test
    void error_staysSmall_howeverBadThePod() {
        Pod.Builder pod = Pod.newBuilder();
        String longText = "x".repeat(100_000) + "\n\u0007";
        IntStream.range(0, 5_000).forEach(i -> pod.getMetadataBuilder().putLabels(i + longText, longText));
        List<FieldViolation> violations = violations(pod.build());
        assertEquals(100, violations.size());
        assertTrue(violations.get(99).getDescription().endsWith("(and 9900 more violations)"), violations::toString);
        assertTrue(violations.stream().allMatch(v -> v.getDescription().length() < 700));
        assertFalse(Violations.message(violations).contains("\n"));
    }

    private List<FieldViolation> violations(Pod pod) {
        return assertThrows(InvalidObjectException.class, () -> translator.translate(pod))
                .violations();
    }

    private static Pod constrained(String constraints) throws IOException {
        return pod("{\"spec\":{\"topologySpreadConstraints\":[{" + constraints + "}]}}");
    }

    private static Pod pod(String json) throws IOException {
        Pod.Builder pod = Pod.newBuilder();
        JsonFormat.parser().ignoringUnknownFields().merge(json, pod);
        return pod.build();
    }
}
