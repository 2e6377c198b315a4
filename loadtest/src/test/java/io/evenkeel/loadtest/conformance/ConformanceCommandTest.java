package io.evenkeel.loadtest.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.CommandRun;
import io.evenkeel.loadtest.local.LocalServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConformanceCommandTest {
    private static final String INCOMING =
            "{\"metadata\": {\"namespace\": \"shop\", \"labels\": {\"app\": \"web\"}}, \"spec\":"
                    + " {\"topologySpreadConstraints\": [{\"maxSkew\": 1, \"topologyKey\": \"zone\","
                    + " \"whenUnsatisfiable\": \"DoNotSchedule\", \"labelSelector\": {\"matchLabels\": {\"app\": \"web\"}}}]}}";

    /**
     * Two zones with one node each, and a pod in the first zone. Then that pod is removed, and an equal one is added in
     * the second zone.
     */
    private static final List<String> TWO_ZONES = List.of(
            "{\"name\": \"two-zones\", \"steps\": ["
                    + apply(node("ADDED", "a"), node("ADDED", "b"), pod("ADDED", "p", "a"))
                    + "," + query("{\"a\": \"Unschedulable\", \"b\": \"Success\"}")
                    + "," + whatIf("shop/p", "Success")
                    + "," + apply(pod("DELETED", "p", "a"), pod("ADDED", "q", "b"))
                    + "," + query("{\"a\": \"Success\", \"b\": \"Unschedulable\"}")
                    + "]}",
            // The same names and UIDs as before, and again only this scenario's pods.
            "{\"name\": \"two-zones-again\", \"steps\": ["
                    + apply(node("ADDED", "a"), node("ADDED", "b"))
                    + "," + apply(pod("ADDED", "p", "b"))
                    + "," + query("{\"a\": \"Success\", \"b\": \"Unschedulable\"}")
                    + "]}");

    @TempDir
    private Path directory;

    static List<Path> corpusFiles() {
        return Corpus.files();
    }

    @Test
    void corpus_hasFourteenFiles_andTheLargeOne() {
        assertEquals(15, Corpus.files().size());
        assertTrue(Files.exists(Corpus.file(Corpus.LARGE)));
    }

    @ParameterizedTest
    @MethodSource("corpusFiles")
    void everyAnswer_isKubeSchedulers_overGrpc(Path file) {
        CommandRun run = CommandRun.of("conformance", file.toString());
        assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(run.lastLine().matches("[1-9][0-9]* answers, 0 differ"), run::output);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"wild", "soft", "domains", "fitspread", "sequence", "forks"})
    void everyAnswer_isKubeSchedulers_whenPacked(String name) {
        CommandRun run =
                CommandRun.of("conformance", "--packed", Corpus.file(name).toString());
        assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--packed"})
    @Tag("long")
    void everyPlace_isKubeSchedulers_inLargeClusters(String form) {
        CommandRun run = CommandRun.of(command(form, Corpus.file(Corpus.LARGE).toString()));
        assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
    }

    @Test
    void scenarios_startFromAnEmptyCluster_whenTheyRepeatUids() throws IOException {
        CommandRun run = CommandRun.of("conformance", write("two.jsonl", TWO_ZONES));
        assertEquals("7 answers, 0 differ", run.lastLine(), run::output);
        assertEquals(0, run.exitCode());
    }

    @Test
    void files_repeatUids_onOneServer() throws IOException {
        try (LocalServer server = LocalServer.start()) {
            String file = write("two.jsonl", TWO_ZONES);
            CommandRun run = CommandRun.of("conformance", "--target", server.target(), file, file);
            assertEquals("14 answers, 0 differ", run.lastLine(), run::output);
        }
    }

    @Test
    void differences_areNamed_andExitIsOne() throws IOException {
        List<String> wrong = TWO_ZONES.stream()
                .map(line -> line.replace("\"expect\": \"Success\"", "\"expect\": \"Unschedulable\"")
                        .replace("{\"a\": \"Success\"", "{\"c\": \"Success\""))
                .toList();
        CommandRun run = CommandRun.of("conformance", write("wrong.jsonl", wrong));
        assertEquals(1, run.exitCode());
        assertEquals("9 answers, 5 differ", run.lastLine());
        assertTrue(
                run.output().contains("two-zones steps[2], what if on a: expected Unschedulable, got Success"),
                run::output);
        assertTrue(run.output().contains("two-zones steps[4], a: expected nothing, got Success"), run::output);
        assertTrue(run.output().contains("two-zones steps[4], c: expected Success, got nothing"), run::output);
    }

    @Test
    void scores_areNamed_whenTheyDiffer() throws IOException {
        List<String> lines = lines(Corpus.file("soft")).stream()
                .limit(1)
                .map(line -> line.replaceAll(":100([,}])", ":99$1"))
                .toList();
        CommandRun run = CommandRun.of("conformance", write("soft.jsonl", lines));
        assertEquals(1, run.exitCode());
        assertTrue(
                run.output().matches("(?s).* steps\\[\\d+], score of node-\\d+: expected 99, got 100.*"), run::output);
    }

    @Test
    void refusedPod_isADifference_andTheRestIsPlayed() throws IOException {
        List<String> refused = TWO_ZONES.stream()
                .map(line -> line.replaceFirst("\"maxSkew\": 1", "\"maxSkew\": 0"))
                .toList();
        CommandRun run = CommandRun.of("conformance", write("refused.jsonl", refused));
        assertEquals(1, run.exitCode());
        assertTrue(run.output().contains("got INVALID_ARGUMENT"), run::output);
        assertTrue(run.output().contains("spec.topologySpreadConstraints[0].maxSkew"), run::output);
        assertEquals("7 answers, 4 differ", run.lastLine());
    }

    @Test
    void refusedObject_isNamed() throws IOException {
        List<String> nameless = List.of("{\"name\": \"nameless\", \"steps\": ["
                + apply(node("ADDED", "a"), node("ADDED", "")) + "," + query("{\"a\": \"Success\"}") + "]}");
        CommandRun run = CommandRun.of("conformance", write("nameless.jsonl", nameless));
        assertTrue(run.output().contains("nameless steps[0].apply[1]: the server rejected "), run::output);
        assertTrue(run.output().contains("metadata.name"), run::output);
        assertTrue(run.output().contains(", 1 object rejected"), run::output);
    }

    @Test
    void exitIsTwo_whenThereIsNothingToCompare() throws IOException {
        CommandRun folder = CommandRun.of("conformance", directory.toString());
        assertEquals(2, folder.exitCode());
        assertEquals(
                "evenkeel conformance: " + directory + ": cannot be read, it is a directory",
                folder.errors().strip());
        CommandRun empty = CommandRun.of("conformance", write("empty.jsonl", List.of()));
        assertEquals(2, empty.exitCode());
        assertTrue(empty.errors().contains("empty.jsonl: has no scenarios, so nothing was compared"), empty::errors);
    }

    @Test
    void exitIsTwo_whenAFileIsMissing() {
        CommandRun run =
                CommandRun.of("conformance", directory.resolve("none.jsonl").toString());
        assertEquals(2, run.exitCode());
        assertEquals(
                "evenkeel conformance: " + directory.resolve("none.jsonl") + ": cannot be read",
                run.errors().strip());
    }

    @Test
    void exitIsTwo_whenALineIsCutShort() throws IOException {
        String whole = TWO_ZONES.get(1);
        String file = write("cut.jsonl", List.of(TWO_ZONES.get(0), whole.substring(0, whole.length() / 2)));
        CommandRun run = CommandRun.of("conformance", file);
        assertEquals(2, run.exitCode());
        assertTrue(
                run.errors().startsWith("evenkeel conformance: " + file + ", line 2: malformed JSON: "), run::errors);
    }

    @Test
    void exitIsTwo_whenGzipIsCutShort() throws IOException {
        byte[] whole = Files.readAllBytes(Corpus.file("basic"));
        Path cut = directory.resolve("cut.gz");
        Files.write(cut, Arrays.copyOf(whole, whole.length / 2));
        CommandRun run = CommandRun.of("conformance", cut.toString());
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("malformed gzip: "), run::errors);
    }

    @Test
    void exitIsTwo_whenAStepIsNone() throws IOException {
        String file = write("step.jsonl", List.of("{\"name\": \"odd\", \"steps\": [{\"ask\": {}}]}"));
        CommandRun run = CommandRun.of("conformance", file);
        assertEquals(2, run.exitCode());
        assertEquals(
                "evenkeel conformance: " + file + ", line 1: steps[0] must contain apply, query, whatIf, whole or ops",
                run.errors().strip());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--packed"})
    void operations_changeTheCluster(String form) throws IOException {
        String full = "0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods.";
        List<String> one = List.of("{\"name\": \"ops\", \"steps\": ["
                + apply(room("ADDED", "a")) + ","
                + ops(
                        place("p", "a"),
                        place("q", "", full),
                        "{\"addNode\": " + roomObject("b") + "}",
                        place("r", "b"),
                        "{\"evict\": \"shop/p\"}",
                        "{\"removeNode\": \"b\"}",
                        "{\"fork\": true}",
                        "{\"addNode\": " + roomObject("c") + "}",
                        "{\"revert\": true}",
                        "{\"fork\": true}",
                        place("s", "a"),
                        "{\"commit\": true}")
                + ","
                + whole(
                        "{\"a\": {\"plugin\": \"NodeResourcesFit\", \"code\": \"Unschedulable\","
                                + " \"reasons\": [\"Too many pods\", \"Insufficient cpu\"]}}",
                        full)
                + "]}");
        CommandRun run = CommandRun.of(command(form, write("ops.jsonl", one)));
        assertEquals(form.isEmpty() ? "13 answers, 0 differ" : "7 answers, 0 differ", run.lastLine(), run::output);
    }

    @Test
    void bestNodesMessagesAndSentences_areNamed_whenTheyDiffer() throws IOException {
        List<String> wrong = List.of("{\"name\": \"wrong\", \"steps\": ["
                + apply(room("ADDED", "a"), room("ADDED", "b")) + ","
                + ops(place("p", "b"))
                + ","
                + whole(
                        "{\"a\": {\"plugin\": \"NodePorts\", \"code\": \"Unschedulable\","
                                + " \"reasons\": [\"Insufficient luck\"]}}",
                        "0/1 nodes are available: none.")
                + "]}");
        CommandRun run = CommandRun.of("conformance", write("wrong.jsonl", wrong));
        assertEquals(1, run.exitCode());
        for (String difference : List.of(
                "wrong steps[1].ops[0], best node: expected b, got a",
                "wrong steps[2], a: expected Unschedulable, got Success",
                "wrong steps[2], messages of a: expected Insufficient luck, got nothing",
                "wrong steps[2], nodes with Insufficient luck: expected 1, got nothing",
                "wrong steps[2], the sentence: expected 0/1 nodes are available: none., got nothing")) {
            assertTrue(run.output().contains(difference), run::output);
        }
    }

    @Test
    void exitIsTwo_whenAnOperationIsUnknown() throws IOException {
        String file = write("odd.jsonl", List.of("{\"name\": \"odd\", \"steps\": [" + ops("{\"ask\": true}") + "]}"));
        CommandRun run = CommandRun.of("conformance", file);
        assertEquals(2, run.exitCode());
        assertEquals(
                "evenkeel conformance: " + file
                        + ", line 1: steps[0] ops[0] must contain place, addNode, removeNode, evict, fork, revert or commit",
                run.errors().strip());
    }

    @Test
    void exitIsTwo_whenAnUnknownPodIsEvicted() throws IOException {
        String file = write(
                "evict.jsonl", List.of("{\"name\": \"odd\", \"steps\": [" + ops("{\"evict\": \"shop/p\"}") + "]}"));
        CommandRun run = CommandRun.of("conformance", file);
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("odd steps[0].ops[0]: NOT_FOUND: pod \"shop/p\" is unknown"), run::errors);
    }

    @Test
    void exitIsTwo_whenNoServerIsThere() throws IOException {
        CommandRun run = CommandRun.of("conformance", "--target", "127.0.0.1:1", write("two.jsonl", TWO_ZONES));
        assertEquals(2, run.exitCode());
        assertEquals(
                "evenkeel conformance: 127.0.0.1:1: UNAVAILABLE: connection refused by 127.0.0.1:1",
                run.errors().strip());
    }

    @Test
    void exitIsTwo_whenNoFileIsNamed() {
        CommandRun run = CommandRun.of("conformance");
        assertEquals(2, run.exitCode());
        assertEquals(
                "evenkeel conformance: Missing required parameter: 'FILE' (see evenkeel conformance --help)",
                run.errors().strip());
    }

    private String write(String name, List<String> lines) throws IOException {
        return Files.write(directory.resolve(name), lines).toString();
    }

    private static List<String> lines(Path gzip) throws IOException {
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(gzip)), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        }
        return lines;
    }

    private static String apply(String... events) {
        return "{\"apply\": [" + String.join(",", events) + "]}";
    }

    private static String node(String type, String name) {
        return ("{\"type\": \"%s\", \"object\": {\"kind\": \"Node\", \"metadata\": {\"name\": \"%s\", \"uid\": \"node-%s\","
                        + " \"labels\": {\"zone\": \"%s\"}}}}")
                .formatted(type, name, name, name);
    }

    private static String pod(String type, String name, String node) {
        return ("{\"type\": \"%s\", \"object\": {\"kind\": \"Pod\", \"metadata\": {\"namespace\": \"shop\", \"name\": \"%s\","
                        + " \"uid\": \"pod-%s\", \"resourceVersion\": \"1\", \"labels\": {\"app\": \"web\"}},"
                        + " \"spec\": {\"nodeName\": \"%s\"}}}")
                .formatted(type, name, name, node);
    }

    private static String[] command(String form, String file) {
        return form.isEmpty() ? new String[] {"conformance", file} : new String[] {"conformance", form, file};
    }

    /** A node with room for one pod. */
    private static String room(String type, String name) {
        return "{\"type\": \"%s\", \"object\": %s}".formatted(type, roomObject(name));
    }

    private static String roomObject(String name) {
        return ("{\"kind\": \"Node\", \"metadata\": {\"name\": \"%s\", \"uid\": \"node-%s\"},"
                        + " \"status\": {\"allocatable\": {\"pods\": \"1\", \"cpu\": \"1\"}}}")
                .formatted(name, name);
    }

    private static String ops(String... operations) {
        return "{\"ops\": [" + String.join(",", operations) + "]}";
    }

    private static String place(String name, String node) {
        return "{\"place\": %s, \"expect\": \"%s\"}".formatted(asking(name), node);
    }

    private static String place(String name, String node, String sentence) {
        return "{\"place\": %s, \"expect\": \"%s\", \"sentence\": \"%s\"}".formatted(asking(name), node, sentence);
    }

    private static String whole(String nodes, String sentence) {
        return "{\"whole\": {\"pod\": %s, \"expect\": {\"nodes\": %s, \"sentence\": \"%s\"}}}"
                .formatted(asking("w"), nodes, sentence);
    }

    /** A pod that asks for a whole CPU. */
    private static String asking(String name) {
        return ("{\"metadata\": {\"namespace\": \"shop\", \"name\": \"%s\", \"uid\": \"pod-%s\"}, \"spec\": {\"containers\":"
                        + " [{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": \"1\"}}}]}}")
                .formatted(name, name);
    }

    private static String query(String filter) {
        return "{\"query\": {\"pod\": " + INCOMING + ", \"expect\": {\"filter\": " + filter + "}}}";
    }

    private static String whatIf(String removed, String expected) {
        return "{\"whatIf\": {\"pod\": " + INCOMING + ", \"node\": \"a\", \"remove\": [\"" + removed
                + "\"], \"expect\": \"" + expected + "\"}}";
    }
}
