package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Gives the commands files as people have them: with misplaced fields, in other formats, or incomplete. */
final class InputFilesTest {
    private static final String CONSTRAINTS = "spec.template.spec.topologySpreadConstraints";
    private static final String CLUSTER = resource("cluster.json");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static String resource(String name) {
        return Path.of("src/test/resources/input")
                .resolve(name)
                .toAbsolutePath()
                .toString();
    }

    private String file(String name, String content) throws IOException {
        return file(name, content, StandardCharsets.UTF_8);
    }

    private String file(String name, String content, Charset charset) throws IOException {
        return Files.write(directory.resolve(name), content.getBytes(charset)).toString();
    }

    private static Run explain(String cluster, String pod) {
        return Run.of("explain", "--cluster", cluster, "--pod", pod);
    }

    /** Checks that a file was rejected with one line, and returns that line without the name of the file. */
    private static String rejection(String file, Run run) {
        assertEquals(ExitCodes.NOT_DONE, run.exitCode(), run::out);
        assertEquals("", run.out());
        List<String> lines = run.err().lines().toList();
        assertEquals(1, lines.size(), run::err);
        String start = "evenkeel explain: " + file + ", ";
        assertTrue(lines.get(0).startsWith(start), run::err);
        return lines.get(0).substring(start.length());
    }

    @ParameterizedTest
    @CsvSource({
        "in-affinity, 13, spec.template.spec.affinity.topologySpreadConstraints",
        "in-container, 14, spec.template.spec.containers[0].topologySpreadConstraints",
        "in-metadata, 5, metadata.topologySpreadConstraints",
        "in-root, 14, topologySpreadConstraints",
        "in-spec, 8, spec.topologySpreadConstraints",
        "in-template, 10, spec.template.topologySpreadConstraints",
    })
    void constraints_atTheWrongLevel_areRejectedWithTheirPlace(String name, int line, String field) {
        String file = resource("misplaced/" + name + ".yaml");
        String said = rejection(file, explain(CLUSTER, file));
        assertTrue(said.startsWith("line " + line + ", column "), said);
        assertTrue(said.endsWith(": " + field + ": unknown field; did you mean " + CONSTRAINTS + "?"), said);
    }

    /** A custom resource may have such a field, but then it is not about its pods. */
    @Test
    void constraints_ofACustomResource_areWarnedOf_outsideItsTemplate() throws IOException {
        String manifest = """
                kind: Rollout
                apiVersion: argoproj.io/v1alpha1
                metadata: {name: web}
                spec:
                  topologySpreadConstraints: []
                  strategy: {canary: {topologySpreadConstraints: []}}
                  template: {spec: {containers: [{name: web}]}}
                """;
        Run run = explain(CLUSTER, file("rollout.yaml", manifest));
        assertEquals(ExitCodes.OK, run.exitCode(), run::err);
        assertTrue(
                run.err().contains("spec.topologySpreadConstraints: unknown field; did you mean " + CONSTRAINTS + "?"),
                run::err);
    }

    @ParameterizedTest
    @CsvSource({
        "labelselector-flat, 15, [0].labelSelector.app, [0].labelSelector.matchLabels[app]",
        "matchlabels-sibling, 16, [0].matchLabels, [0].labelSelector.matchLabels",
        "match-labels-outdented, 23, [1].matchLabels, [1].labelSelector.matchLabels",
        "selector-name, 15, [0].selector, [0].labelSelector",
    })
    void fieldsOfConstraints_areRejected_ifKubernetesDoesNotKnowThem(
            String name, int line, String field, String meant) {
        String file = resource("misplaced/" + name + ".yaml");
        String said = rejection(file, explain(CLUSTER, file));
        assertTrue(said.startsWith("line " + line + ", column "), said);
        assertTrue(
                said.endsWith(CONSTRAINTS + field + ": unknown field; did you mean " + CONSTRAINTS + meant + "?"),
                said);
    }

    @ParameterizedTest
    @CsvSource({
        "max-skew, 10, spec.topologySpreadConstraints[0].maxSkew",
        "constraints, 8, spec.topologySpreadConstraints",
        "label, 10, spec.topologySpreadConstraints[0].labelSelector.matchLabels[app]",
    })
    void duplicateFields_areRejectedInAPodFile_andWarnedOfInAClusterFile(String name, int line, String field) {
        String file = resource("duplicate/" + name + ".yaml");
        String said = rejection(file, explain(CLUSTER, file));
        assertTrue(said.startsWith("line " + line + ", column "), said);
        assertTrue(said.endsWith(": " + field + ": duplicate field"), said);
        Run asCluster = Run.of("explain", "--cluster", file, "--cluster", CLUSTER, "web-2");
        assertEquals(ExitCodes.OK, asCluster.exitCode(), asCluster::err);
        String warning = "evenkeel explain: warning: " + file + ": " + field.replace("[0]", "[]") + ": duplicate field";
        assertTrue(asCluster.err().contains(warning), asCluster::err);
    }

    @Test
    void eachUnknownField_hasALine_andFieldsOfNewerVersionsAreWarnings() throws IOException {
        String manifest = """
                kind: Pod
                metadata: {name: web, label: {a: b}}
                spec:
                  newField: 1
                  maxSkew: 1
                  containers: [{name: web}]
                """;
        String file = file("pod.yaml", manifest);
        Run run = explain(CLUSTER, file);
        assertEquals(ExitCodes.NOT_DONE, run.exitCode());
        List<String> lines = run.err().lines().toList();
        assertEquals(3, lines.size(), run::err);
        assertTrue(lines.get(0).contains("metadata.label: unknown field; did you mean metadata.labels?"));
        assertTrue(lines.get(1).endsWith("spec.newField: unknown field"), lines.get(1));
        assertTrue(lines.get(2).endsWith("did you mean spec.topologySpreadConstraints[].maxSkew?"), lines.get(2));

        Run read = explain(
                CLUSTER,
                file("read.yaml", manifest.replace("label: {a: b}", "uid: u").replace("  maxSkew: 1\n", "")));
        assertEquals(ExitCodes.OK, read.exitCode(), read::err);
        assertTrue(read.err().contains("read.yaml: spec.newField: unknown field (ignored)"), read::err);
    }

    @Test
    void unknownFieldsOfACluster_areOneWarningForAllObjects() throws IOException {
        StringBuilder pods = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            pods.append("---\nkind: Pod\nmetadata: {name: p").append(i).append(", topologySpreadConstraints: []}\n");
        }
        String file = file("pods.yaml", pods.toString());
        Run run = Run.of("explain", "--cluster", file, "--cluster", CLUSTER, "web-2");
        assertEquals(ExitCodes.OK, run.exitCode(), run::err);
        List<String> lines =
                run.err().lines().filter(line -> line.contains("unknown field")).toList();
        assertEquals(1, lines.size(), run::err);
        assertTrue(
                lines.get(0).contains("metadata.topologySpreadConstraints: unknown field, ignored (3 times in Pods"));
        assertTrue(lines.get(0).endsWith("; did you mean spec.topologySpreadConstraints?"));
    }

    @ParameterizedTest
    @CsvSource({
        "describe.txt, 13, kubectl describe",
        "table.txt, 1, a table of kubectl",
        "template.yaml, 7, helm template",
        "dump.json, 4, kubectl cluster-info dump",
        "quoted.yaml, 7, maxSkew must be an integer",
    })
    void otherFormats_areNamed_inBothKindsOfFiles(String name, int line, String hint) {
        String file = resource("forms/" + name);
        for (Run run : List.of(explain(CLUSTER, file), Run.of("explain", "--cluster", file, "web-2"))) {
            String said = rejection(file, run);
            assertTrue(said.startsWith("line " + line + ", "), said);
            assertTrue(said.contains(hint), said);
            assertFalse(said.contains("Event") || said.contains("Exception") || said.contains("snakeyaml"), said);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Error from server (NotFound): pods \"web\" not found | a message instead of objects",
                "No resources found in default namespace. | a message instead of objects",
                "pod/web-1 | kubectl get -o name",
                "<!DOCTYPE html> | a web page",
                "NAMESPACE   NAME   READY   AGE | a table of kubectl",
                "'{{- if .Values.on }}' | helm template",
            })
    void otherTexts_areNamed(String text, String hint) throws IOException {
        String file = file("input", text + "\n");
        assertTrue(rejection(file, explain(CLUSTER, file)).contains(hint), text);
    }

    @Test
    void messagesOfTheParser_nameNoClassAndNoOption() throws IOException {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        Path binary = Files.write(directory.resolve("binary"), bytes);
        String number = file("number.json", "{\"kind\": \"Pod\", \"spec\": NaN}");
        for (String file : List.of(binary.toString(), number)) {
            String said = rejection(file, explain(CLUSTER, file));
            assertFalse(said.contains("Exception") || said.contains("Feature"), said);
        }
    }

    @Test
    void objectsThatReplaceEachOther_areWarnedOf() throws IOException {
        String pod = "---\nkind: Pod\nmetadata: {namespace: shop, name: %s}\n";
        String file = file(
                "pods.yaml",
                pod.formatted("a, uid: u1") + pod.formatted("b, uid: u1") + pod.formatted("c") + pod.formatted("c"));
        Run run = Run.of("explain", "--cluster", file, "--cluster", CLUSTER, "web-2");
        assertEquals(ExitCodes.OK, run.exitCode(), run::err);
        assertTrue(run.err().contains("2 objects were replaced by a later one with the same UID"), run::err);
    }

    @Test
    void anchorsAliasesAndMergeKeys_areReadAsInKubectl() {
        Run run = explain(CLUSTER, resource("forms/anchors.yaml"));
        assertEquals(ExitCodes.OK, run.exitCode(), run::err);
        assertTrue(run.out().contains("[0] topology.kubernetes.io/zone: DoNotSchedule, maxSkew 1"), run::out);
        assertTrue(run.out().contains("[1] kubernetes.io/hostname: DoNotSchedule, maxSkew 1"), run::out);
        assertEquals(2, run.out().split("Counts pods with app=web; this pod is one.", -1).length - 1, run::out);
    }

    @Test
    void aliasesOfScalars_canBeNamesOfFields() throws IOException {
        String manifest = """
                kind: Pod
                metadata: {name: web, annotations: {key: &key app, value: &value web}, labels: {*key : *value}}
                spec: {containers: [{name: web}]}
                """;
        Run expected = explain(CLUSTER, file("plain.yaml", manifest.replace("{*key : *value}", "{app: web}")));
        assertEquals(ExitCodes.OK, expected.exitCode(), expected::err);
        assertEquals(expected, explain(CLUSTER, file("aliases.yaml", manifest)));
        String mapping = file("mapping.yaml", manifest.replace("key: &key app", "key: &key {a: b}"));
        assertTrue(rejection(mapping, explain(CLUSTER, mapping)).contains("the name of a field must be a plain text"));
    }

    @Test
    void utf16_isReadAsWrittenByPowerShell() {
        Run run = explain(CLUSTER, resource("forms/utf16.yaml"));
        assertEquals(ExitCodes.OK, run.exitCode(), run::err);
        assertEquals("Pod default/web-9", run.lines().get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE"})
    void utf16_isRead_ifItHasAByteOrderMark(String charset) throws IOException {
        String manifest = Files.readString(Path.of(resource("forms/anchors.yaml")));
        String cluster = Files.readString(Path.of(CLUSTER));
        Run expected = explain(CLUSTER, resource("forms/anchors.yaml"));
        Charset utf16 = Charset.forName(charset);
        assertEquals(
                expected,
                explain(file("c.json", "\ufeff" + cluster, utf16), file("pod.yaml", "\ufeff" + manifest, utf16)));
    }

    @Test
    void manyAliases_areRejected_beforeTheyFillTheMemory() throws IOException {
        StringBuilder laughs = new StringBuilder("kind: Pod\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 12; i++) {
            String list = ("*a" + (i - 1) + ", ").repeat(10);
            laughs.append("a")
                    .append(i)
                    .append(": &a")
                    .append(i)
                    .append(" [")
                    .append(list)
                    .append("]\n");
        }
        String file = file("laughs.yaml", laughs.toString());
        assertTrue(rejection(file, explain(CLUSTER, file)).contains("must repeat at most"));
    }

    @Test
    void aFileWithoutNeededObjects_isRejected() {
        String file = resource("misplaced/in-root.yaml");
        Run run = Run.of("explain", "--cluster", file, "--cluster", CLUSTER, "web-2");
        assertEquals(ExitCodes.NOT_DONE, run.exitCode(), run::out);
        assertTrue(run.err().startsWith("evenkeel explain: " + file + ": loaded 0 objects, ignored 1 Deployment"));
    }

    @Test
    void handwrittenObjects_areReadWithoutUidAndNamespace() throws IOException {
        Run placed = Run.of("explain", "--rules=enterable", "--cluster", resource("handwritten/cluster.yaml"), "web-1");
        assertEquals("Pod default/web-1 (on a)", placed.lines().get(0), placed::err);
        Run asked = Run.of(
                "explain",
                "--rules=enterable",
                "--cluster",
                resource("handwritten/cluster.yaml"),
                "--cluster",
                resource("handwritten/pod.yaml"),
                "y");
        assertEquals(ExitCodes.OK, asked.exitCode(), asked::err);
        assertTrue(asked.out().startsWith("Pod default/y (Pending)\n1/2 nodes pass what is judged; "), asked::out);
    }

    @ParameterizedTest
    @ValueSource(strings = {"explain", "place"})
    void podsOfOtherNamespaces_areWarnedOf_ifNoneCounts(String command) {
        Run forgotten = Run.of(
                command, "--cluster", resource("namespaces/shop.json"), "--pod", resource("namespaces/without.yaml"));
        assertEquals(ExitCodes.OK, forgotten.exitCode());
        assertTrue(forgotten.err().contains("no pod in the namespace default counts"), forgotten::err);
        assertTrue(forgotten.err().contains("6 in shop;"), forgotten::err);
        Run inCluster = Run.of(command, "--cluster", resource("namespaces/many.json"), "pmt9/s-x");
        assertTrue(inCluster.err().contains("1 in pmt0, 1 in pmt1, 1 in pmt2 and others in 3 more"), inCluster::err);
        Run right = Run.of(
                command,
                "--cluster",
                resource("namespaces/shop.json"),
                "--pod",
                resource("namespaces/without.yaml"),
                "--namespace=shop");
        assertEquals("", right.err());
    }

    @Test
    void podsOnNodesThatTheFileLacks_areWarnedOf() {
        Run some = Run.of("explain", "--cluster", resource("nodes/lacking.json"), "x");
        assertTrue(some.err().contains("4 pods are bound to nodes that the input lacks (b1, c1)"), some::err);
        Run all = Run.of(
                "explain", "--cluster", resource("nodes/none.json"), "--cluster", resource("nodes/nodes.json"), "x");
        assertEquals("", all.err());
        Run none = Run.of("explain", "--cluster", resource("nodes/none.json"), "x");
        assertEquals("evenkeel explain: warning: the input has no nodes\n", none.err());
    }

    @ParameterizedTest
    @CsvSource({
        "kubernetes.io/host, kubernetes.io/hostname",
        "topology.kubernetes.io/Zone, topology.kubernetes.io/zone",
        "zone, topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/zone, topology.kubernetes.io/zone",
        "rack, rack-id",
        "example.com/building,",
    })
    void topologyKeys_areComparedWithThoseOfNodes(String key, @Nullable String meant) throws IOException {
        String pod = Files.readString(Path.of(resource("keys/pod.json"))).replace("topology.kubernetes.io/zone", key);
        Run run = explain(resource("keys/cluster.json"), file("pod.json", pod));
        String text = run.out().replaceAll("\\s+", " ");
        assertEquals(meant != null, text.contains("Did you mean"), run::out);
        assertTrue(meant == null || text.contains("Did you mean " + meant + ", which"), run::out);
    }
}
