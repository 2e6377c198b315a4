package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.ReadableAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests explanations of pods that kube-scheduler left pending in a real cluster: its own messages, and what they omit.
 */
final class ExplainPendingPodsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static Path cluster;

    /** Removes the pods' conditions, because they contain kube-scheduler's messages. */
    @BeforeAll
    static void writeCluster() throws IOException {
        cluster = RealClusterFile.write(directory, "cluster.json", object -> true, RealClusterFile::withoutConditions);
        assertFalse(Files.readString(cluster).contains("nodes are available"));
    }

    @Test
    void firstSentence_isKubeSchedulers_forEachPendingPod() throws IOException {
        Map<String, String> pending = RealClusterFile.pending();
        assertEquals(8, pending.size());
        for (Map.Entry<String, String> pod : pending.entrySet()) {
            String sentence = pod.getValue().substring(0, pod.getValue().indexOf(". ") + 1);
            assertTrue(sentence.startsWith("0/19 nodes are available: "));
            for (String command : new String[] {"explain", "place"}) {
                Run run = Run.of(command, "--cluster", cluster.toString(), pod.getKey());
                assertEquals("", run.err());
                assertEquals(0, run.exitCode());
                assertEquals("Pod " + pod.getKey() + " (Pending)", run.lines().get(0));
                assertEquals(sentence, run.lines().get(1));
            }
        }
    }

    /** The complete text. */
    @ParameterizedTest
    @CsvSource({
        "shop/stuck-zone-89f4fcf4d-rb6g2, stuck-zone",
        "ml/stuck-gpu-69699796d-cqpmp, stuck-gpu",
        "data/stuck-rack-67d7c6644f-k7blg, stuck-rack",
    })
    void text_isAsItWasReviewed(String pod, String golden) throws IOException {
        Run run = Run.of("explain", "--cluster", cluster.toString(), pod);
        assertEquals(golden(golden), run.out());
        assertTrue(run.lines().stream().skip(2).allMatch(line -> line.length() <= Paragraphs.WIDTH));
    }

    @Test
    void readme_showsTheBeginningOfAText() throws IOException {
        String readme = Files.readString(Path.of("../../README.md"));
        String command = "$ ./evenkeel explain --kube shop/stuck-zone-89f4fcf4d-rb6g2\n";
        int begin = readme.indexOf(command) + command.length();
        String shown = readme.substring(begin, readme.indexOf("...\n", begin));
        assertTrue(golden("stuck-zone").startsWith(shown), shown);
    }

    @Test
    void yamlAndJson_giveTheSameAnswer_plainAndZipped() throws IOException {
        String pod = "shop/stuck-zone-89f4fcf4d-rb6g2";
        Path whole = RealClusterFile.write(directory, "whole.json", object -> true, object -> object);
        for (String output : new String[] {"text", "json"}) {
            Run json = Run.of("explain", "-o", output, "--cluster", whole.toString(), pod);
            Run yaml = Run.withInput(
                    RealClusterFile.read("cluster.yaml.gz"), "explain", "--cluster", "-", "-o", output, pod);
            assertEquals(json, yaml);
        }
    }

    @Test
    void severalFiles_areReadAsOne() throws IOException {
        Path nodes = RealClusterFile.write(
                directory, "nodes.json", object -> RealClusterFile.kind(object).equals("Node"), object -> object);
        Path others = RealClusterFile.write(
                directory,
                "others.json",
                object -> !RealClusterFile.kind(object).equals("Node"),
                RealClusterFile::withoutConditions);
        String pod = "ml/stuck-gpu-69699796d-cqpmp";
        assertEquals(
                Run.of("explain", "--cluster", cluster.toString(), pod),
                Run.of("explain", "--cluster", others.toString(), "--cluster", nodes.toString(), pod));
    }

    @Test
    void json_isTheExplainResponse_withTheWordsAsTheyAre() throws IOException {
        Run run = Run.of("explain", "--cluster", cluster.toString(), "-o", "json", "ml/stuck-gpu-69699796d-cqpmp");
        assertTrue(run.out().contains("15 node(s) didn't match Pod's node affinity/selector"));
        ExplainResponse.Builder parsed = ExplainResponse.newBuilder();
        JsonFormat.parser().merge(run.out(), parsed);
        assertEquals(19, parsed.getCandidateCount());
        assertEquals(2, parsed.getEnteredCount());
        assertEquals(19, parsed.getVerdictsCount());
        assertEquals(19, parsed.getConstraints(0).getDomainsCount());
        assertEquals(2, parsed.getConstraints(0).getLeastMaxSkew());
        assertFalse(parsed.hasRevision());
    }

    @Test
    void json_ofPlace_isAReadableAnswer_bestFirst() throws IOException {
        Run run = Run.of("place", "--cluster", cluster.toString(), "-o", "json", "data/cache-6c56bc7d6c-4lpml");
        ReadableAnswer.Builder parsed = ReadableAnswer.newBuilder();
        JsonFormat.parser().merge(run.out(), parsed);
        assertEquals(15, parsed.getPassedCount());
        assertEquals(15, parsed.getBestCount());
        assertEquals(19, parsed.getVerdictsCount());
        assertEquals(2, parsed.getSoftConstraintCount());
        assertEquals(0, parsed.getHardConstraintCount());
        assertEquals("worker-b2", parsed.getBest(0).getName());
        assertEquals(100, parsed.getBest(0).getScore());
        for (int i = 1; i < parsed.getBestCount(); i++) {
            int falls = parsed.getBest(i - 1).getScore() - parsed.getBest(i).getScore();
            String before = parsed.getBest(i - 1).getName();
            assertTrue(falls > 0
                    || falls == 0 && before.compareTo(parsed.getBest(i).getName()) < 0);
        }
    }

    @Test
    void placedPod_isJudgedAsIfItWereNotThere_andReportedSo() {
        Run run = Run.of("explain", "--cluster", cluster.toString(), "ml/train-875df5f86-47wp6");
        assertEquals("Pod ml/train-875df5f86-47wp6 (on gpu-b1)", run.lines().get(0));
        assertTrue(run.lines().get(1).startsWith("1/19 nodes are available; the others: "), run.out());
        assertEquals(
                "The pod already has a node; the answer is what would apply if it were not placed.",
                run.lines().get(2));
    }

    private static String golden(String name) throws IOException {
        try (InputStream file = Objects.requireNonNull(
                ExplainPendingPodsTest.class.getResourceAsStream("/explain/" + name + ".txt"), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
