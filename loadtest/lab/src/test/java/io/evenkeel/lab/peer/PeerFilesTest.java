package io.evenkeel.lab.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.local.ClusterFile;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PeerFilesTest {
    private static final ClusterGenerator CLUSTER = new ClusterGenerator(ClusterShape.of(1, 30, 300));

    @TempDir
    private Path directory;

    @Test
    void cluster_isEachObjectAfterItsLength() throws IOException {
        Path file = directory.resolve("cluster");
        ClusterFile.write(CLUSTER.objects(), file);
        try (InputStream in = Files.newInputStream(file)) {
            for (Iterator<ClusterObject> objects = CLUSTER.objects(); objects.hasNext(); ) {
                assertEquals(objects.next(), ClusterObject.parseDelimitedFrom(in));
            }
            assertEquals(-1, in.read());
        }
    }

    @Test
    void questions_carryTheBytesOfThePod() throws IOException {
        Path file = directory.resolve("questions");
        Pod pod = Spread.HARD_ZONE.in(CLUSTER);
        PeerFiles.writeQuestions(
                List.of(
                        new PeerQuestion(Spread.HARD_ZONE, pod, List.of(), 3),
                        new PeerQuestion(Spread.HARD_ZONE, pod, List.of("node-00001", "node-00002"), 0)),
                file);
        JsonArray questions = JsonParser.parseString(Files.readString(file)).getAsJsonArray();
        JsonObject all = questions.get(0).getAsJsonObject();
        assertEquals("hard zone, 3 placed", all.get("name").getAsString());
        assertEquals(3, all.get("copies").getAsInt());
        assertEquals(0, all.getAsJsonArray("candidates").size());
        JsonObject two = questions.get(1).getAsJsonObject();
        assertEquals("hard zone, 2 nodes", two.get("name").getAsString());
        assertEquals("[\"node-00001\",\"node-00002\"]", two.get("candidates").toString());
        assertEquals(
                pod, Pod.parseFrom(Base64.getDecoder().decode(two.get("pod").getAsString())));
    }

    @Test
    void answers_areReadByName() throws IOException {
        Map<String, PeerAnswer> answers = read("""
                [{"name": "a", "p50Nanos": 3, "p99Nanos": 5, "codes": {"n": "Success", "m": "Unschedulable"},
                  "scores": {"n": 87}},
                 {"name": "b", "p50Nanos": 1, "p99Nanos": 2, "codes": {}, "placed": ["m", "n"]}]""");
        assertEquals(
                Map.of(
                        "a", new PeerAnswer(Map.of("n", "Success", "m", "Unschedulable"), Map.of("n", 87), 3, 5),
                        "b", new PeerAnswer(Map.of(), Map.of(), List.of("m", "n"), 1, 2)),
                answers);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | it is no list",
                "[{\"name\": \"a\"}] | 'codes'",
                "[{\"name\": \"a\", \"codes\": {}, \"p50Nanos\": 1}] | 'p99Nanos'",
                "[{\"name\": \"a\", \"codes\": {}, \"scores\": {\"n\": \"high\"}}] | high",
                "[{ | end-of-input",
            })
    void answers_areRefused_whenTheyAreNone(String text, String why) throws IOException {
        String problem =
                String.valueOf(assertThrows(IOException.class, () -> read(text)).getMessage());
        assertTrue(problem.contains("answers does not contain answers: "), problem);
        assertTrue(problem.contains(why), problem);
    }

    private Map<String, PeerAnswer> read(String text) throws IOException {
        Path file = directory.resolve("answers");
        Files.writeString(file, text);
        return PeerFiles.readAnswers(file);
    }
}
