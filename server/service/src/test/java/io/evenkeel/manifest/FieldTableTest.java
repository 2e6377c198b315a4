package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.objects.RealFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FieldTableTest {
    @Tag("go")
    @Test
    void table_isThatOfKubernetes() throws IOException, InterruptedException {
        Process go = new ProcessBuilder("go", "run", "-trimpath", ".")
                .directory(Path.of("fields").toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        byte[] generated = go.getInputStream().readAllBytes();
        assertEquals(0, go.waitFor());
        try (InputStream table = Objects.requireNonNull(FieldTable.class.getResourceAsStream("fields.txt"))) {
            assertEquals(
                    new String(generated, StandardCharsets.UTF_8),
                    new String(table.readAllBytes(), StandardCharsets.UTF_8),
                    "fields.txt is out of date: run the program in server/service/fields");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster.json.gz", "cluster.yaml.gz", "before.pods.json.gz"})
    void objectsOfARealCluster_haveOnlyKnownFields(String name) throws IOException {
        try (ObjectReader reader = ObjectReader.of(RealFiles.open(name), name)) {
            while (reader.next() != null) {
                assertEquals(List.of(), reader.fieldProblems());
            }
            assertNotEquals(0, reader.objectsRead());
        }
    }

    /** What a person writes who looks for the place of a field. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind: Pod, spec: {topologySpreadConstraint: []} | spec.topologySpreadConstraint | spec.topologySpreadConstraints",
                "kind: Pod, spec: {topology_spread_constraints: []} | spec.topology_spread_constraints | spec.topologySpreadConstraints",
                "kind: Pod, spec: {TopologySpreadConstraints: []} | spec.TopologySpreadConstraints | spec.topologySpreadConstraints",
                "kind: Pod, labels: {a: b} | labels | metadata.labels",
                "kind: Pod, spec: {maxSkew: 1} | spec.maxSkew | spec.topologySpreadConstraints[].maxSkew",
                "kind: Pod, spec: {nodeSelectors: {}} | spec.nodeSelectors | spec.nodeSelector",
                "kind: Pod, spec: {affinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}} "
                        + "| spec.affinity.requiredDuringSchedulingIgnoredDuringExecution "
                        + "| spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                        + " or spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                        + " or spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                "kind: Pod, spec: {topologySpreadConstraints: [{labelSelector: {matchLabelKeys: []}}]} "
                        + "| spec.topologySpreadConstraints[0].labelSelector.matchLabelKeys "
                        + "| spec.topologySpreadConstraints[0].matchLabelKeys",
                "kind: CronJob, spec: {topologySpreadConstraints: []} | spec.topologySpreadConstraints "
                        + "| spec.jobTemplate.spec.template.spec.topologySpreadConstraints",
                "kind: Deployment, spec: {template: {spec: {replicas: 2}}} | spec.template.spec.replicas | spec.replicas",
                "kind: Deployment, spec: {tolerations: []} | spec.tolerations | spec.template.spec.tolerations",
            })
    void hint_isTheNearestPlaceOfTheField(String object, String field, String meant) throws IOException {
        List<FieldProblem> problems = problems(object);
        assertEquals(1, problems.size(), problems::toString);
        assertEquals(field, problems.get(0).path());
        assertEquals(meant, problems.get(0).meant());
    }

    @Test
    void customResources_areCheckedInTheirPodTemplate() throws IOException {
        List<FieldProblem> problems = problems(
                "apiVersion: example.com/v1, kind: Deployment, spec: {any: 1, template: {metadata: {any: 1}}}, any: 1");
        assertEquals(
                List.of("spec.template.metadata.any"),
                problems.stream().map(FieldProblem::path).toList());
    }

    @Test
    void mergedFields_areNoDuplicates() throws IOException {
        assertTrue(problems("kind: Pod, metadata: {<<: {name: a, labels: {a: b}}, name: b}")
                .isEmpty());
        assertEquals(
                1,
                problems("kind: Pod, metadata: {<<: {name: a}, name: b, name: c}")
                        .size());
    }

    private static List<FieldProblem> problems(String object) throws IOException {
        List<FieldProblem> problems = new ArrayList<>();
        byte[] yaml = ("--- {" + object + "}\n").getBytes(StandardCharsets.UTF_8);
        try (TokenReader input = TokenReader.open(new ByteArrayInputStream(yaml), "x")) {
            String kind = object.replaceAll(".*kind: (\\w+).*", "$1");
            String apiVersion = object.startsWith("apiVersion") ? "example.com/v1" : null;
            input.next();
            input.follow(new FieldCheck(FieldTable.of(kind, apiVersion), FieldCheck.listing(problems)), null);
            while (input.nextField() != null) {
                input.skipValue();
            }
        }
        return problems;
    }
}
