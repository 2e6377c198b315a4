package io.evenkeel.lab.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.evenkeel.lab.Lab;
import io.evenkeel.loadtest.CommandRun;
import io.evenkeel.loadtest.ProgramRun;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.local.LocalEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
final class PeerCommandTest {
    private static final ClusterGenerator CLUSTER =
            new ClusterGenerator(ClusterShape.of(1, 90, 3_000).withSizes(WorkloadSizes.MANY)).withNodes(Resources::of);
    private static List<PeerQuestion> questions = List.of();
    private static List<PeerAnswer> answers = List.of();

    @TempDir
    private Path directory;

    private RecordedPlugin plugin;

    @BeforeAll
    static void record() {
        try (LocalEngine local = LocalEngine.holding(CLUSTER)) {
            EngineSide engine = new EngineSide(local);
            questions = PeerQuestion.ofEachShape(CLUSTER, engine);
            answers = questions.stream()
                    .map(question -> engine.ask(question, 1, 1))
                    .map(answer -> new PeerAnswer(
                            answer.codes(), answer.scores(), answer.placed(), 2_000_000_000L, 3_000_000_000L))
                    .toList();
        }
    }

    @BeforeEach
    void beginWithNoRecord() {
        plugin = new RecordedPlugin(directory);
    }

    @Test
    void exitIsZero_whenEveryAnswerAgrees() throws IOException, InterruptedException {
        plugin.answers(questions, answers);
        CommandRun run =
                peer(plugin.path(), "--json", directory.resolve("figures.json").toString());
        assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(run.lastLine().matches("7 shapes agree, slowest ratio [\\d,]+×"), run::output);
        assertTrue(run.output().contains("2,000.000  3,000.000"), run::output);

        JsonObject json = JsonParser.parseString(Files.readString(directory.resolve("figures.json")))
                .getAsJsonObject();
        assertEquals(questions.size(), json.getAsJsonArray("rows").size());
        JsonObject first = json.getAsJsonArray("rows").get(0).getAsJsonObject();
        assertEquals("HARD_ZONE", first.get("shape").getAsString());
        assertEquals(90, first.get("candidates").getAsInt());
        long evenkeel = first.getAsJsonObject("evenkeel").get("p50Nanos").getAsLong();
        assertEquals(2e9 / evenkeel, first.get("ratio").getAsDouble(), 1e-3);
        assertEquals(0, json.getAsJsonArray("differences").size());
    }

    @Test
    void exitIsOne_andTheDifferenceIsNamed_whenAVerdictDiffers() throws IOException, InterruptedException {
        int place = place(Spread.HARD_ZONE_HARD_HOSTNAME);
        Map<String, String> codes = new HashMap<>(answers.get(place).codes());
        String node = "node-00017";
        String ours = String.valueOf(codes.get(node));
        codes.put(node, "UnschedulableAndUnresolvable");
        plugin.answers(questions, with(place, new PeerAnswer(codes, Map.of(), 1, 1)));
        CommandRun run = peer(plugin.path());
        assertEquals(1, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(
                run.output()
                        .contains("hard zone + hostname, all nodes, verdict on node-00017: the plugin says "
                                + "UnschedulableAndUnresolvable, Evenkeel " + ours + "\n"),
                run::output);
        assertEquals("1 answers DIFFER", run.lastLine());
    }

    @Test
    void exitIsOne_andTheDifferenceIsNamed_whenAScoreDiffers() throws IOException, InterruptedException {
        int place = place(Spread.SOFT_ZONE_SOFT_HOSTNAME);
        Map<String, Integer> scores = new HashMap<>(answers.get(place).scores());
        int ours = scores.getOrDefault("node-00005", -1);
        scores.put("node-00005", ours + 1);
        plugin.answers(questions, with(place, new PeerAnswer(answers.get(place).codes(), scores, 1, 1)));
        CommandRun run = peer(plugin.path());
        assertEquals(1, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(
                run.output()
                        .contains("soft zone + hostname, all nodes, score of node-00005: the plugin says " + (ours + 1)
                                + ", Evenkeel " + ours + "\n"),
                run::output);
    }

    @Test
    void exitIsOne_andTheDifferenceIsNamed_whenACopyIsPlacedElsewhere() throws IOException, InterruptedException {
        int place = place(Spread.HARD_ZONE) + 2;
        List<String> placed = new ArrayList<>(answers.get(place).placed());
        String ours = placed.set(1, "node-00089");
        plugin.answers(questions, with(place, new PeerAnswer(Map.of(), Map.of(), placed, 1, 1)));
        CommandRun run = peer(plugin.path());
        assertEquals(1, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(
                run.output()
                        .contains("hard zone, 50 placed, node of copy 2: the plugin says node-00089, Evenkeel " + ours
                                + "\n"),
                run::output);
    }

    @Test
    void exitIsTwo_whenThePluginsSideFails() throws IOException, InterruptedException {
        plugin.fails("no such cluster");
        CommandRun run = peer(plugin.path());
        assertEquals(2, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(run.errors().startsWith("evenkeel lab peer: " + directory), run::errors);
        assertTrue(run.errors().stripTrailing().endsWith("exited with 1\nno such cluster"), run::errors);
    }

    @Test
    void exitIsTwo_whenAQuestionHasNoAnswer() throws IOException, InterruptedException {
        plugin.answers(questions.subList(0, 3), answers.subList(0, 3));
        CommandRun run = peer(plugin.path());
        assertEquals(2, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(
                run.errors()
                        .stripTrailing()
                        .endsWith("answers.json has no answer for "
                                + questions.get(3).name()),
                run::errors);
    }

    @Test
    void oneSideRuns_whenThereIsNoGo() throws IOException, InterruptedException {
        CommandRun run = peer("");
        assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(
                run.output().contains("\nNo go command on the PATH; skipping kube-scheduler's plugin.\n"), run::output);
        assertEquals("7 shapes answered by Evenkeel alone", run.lastLine());
        assertFalse(Files.exists(directory.resolve("work")));
    }

    @Test
    void exitIsTwo_whenThereAreNoPodsOrNoCalls() {
        CommandRun noPods = CommandRun.of(Lab.commandLine(), "peer", "--pods", "0");
        assertEquals(2, noPods.exitCode());
        assertEquals(
                "evenkeel lab peer: --pods must be at least 1, was 0 (see evenkeel lab peer --help)",
                noPods.errors().strip());
        CommandRun noCalls = CommandRun.of(Lab.commandLine(), "peer", "--calls", "0");
        assertEquals(2, noCalls.exitCode());
        assertTrue(noCalls.errors().contains("--calls must be from 1 to 100000, was 0"), noCalls::errors);
    }

    @Test
    void exitIsTwo_beforeAnythingIsRun_whenTheFileCannotBeWritten() {
        CommandRun run = CommandRun.of(Lab.commandLine(), "peer", "--json", "/nowhere/peer.json");
        assertEquals(2, run.exitCode());
        assertEquals("", run.output());
        assertTrue(run.errors().contains("--json': must be a file that can be written"), run::errors);
    }

    private CommandRun peer(String path, String... more) throws IOException, InterruptedException {
        List<String> args = new ArrayList<>(List.of("peer", "--nodes", "90", "--pods", "3000", "--calls", "1"));
        args.addAll(
                List.of("--shape", "many", "--work", directory.resolve("work").toString()));
        args.addAll(List.of(more));
        return ProgramRun.of(Lab.class, path, directory, args.toArray(String[]::new));
    }

    /** The row for a shape on all nodes. */
    private static int place(Spread shape) {
        for (int i = 0; i < questions.size(); i++) {
            if (questions.get(i).shape() == shape) {
                return i;
            }
        }
        throw new AssertionError(shape);
    }

    private static List<PeerAnswer> with(int place, PeerAnswer instead) {
        List<PeerAnswer> changed = new ArrayList<>(answers);
        changed.set(place, instead);
        return changed;
    }
}
