package io.evenkeel.loadtest.peer;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.v1.ClusterObject;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Writes and reads the files that the Go program uses. The cluster is written as length-delimited
 * {@code evenkeel.v1.ClusterObject} messages. Questions and answers are written as JSON, whose format {@code peer -h}
 * describes.
 */
final class PeerFiles {
    private static final int BUFFER = 1 << 20;

    private PeerFiles() {}

    static void writeCluster(ClusterGenerator cluster, Path file) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER)) {
            for (Iterator<ClusterObject> objects = cluster.objects(); objects.hasNext(); ) {
                objects.next().writeDelimitedTo(out);
            }
        }
    }

    static void writeQuestions(List<PeerQuestion> questions, Path file) throws IOException {
        JsonArray list = new JsonArray();
        for (PeerQuestion question : questions) {
            JsonObject written = new JsonObject();
            written.addProperty("name", question.name());
            written.addProperty(
                    "pod", Base64.getEncoder().encodeToString(question.pod().toByteArray()));
            JsonArray candidates = new JsonArray();
            question.candidates().forEach(candidates::add);
            written.add("candidates", candidates);
            list.add(written);
        }
        Files.writeString(file, new Gson().toJson(list));
    }

    /**
     * The answers by the names of their questions.
     *
     * @throws IOException if the file cannot be read or does not contain answers
     */
    static Map<String, PeerAnswer> readAnswers(Path file) throws IOException {
        try {
            Map<String, PeerAnswer> answers = new HashMap<>();
            for (JsonElement element :
                    JsonParser.parseString(Files.readString(file)).getAsJsonArray()) {
                JsonObject answer = element.getAsJsonObject();
                Map<String, String> codes = new HashMap<>();
                for (Map.Entry<String, JsonElement> code :
                        field(answer, "codes").getAsJsonObject().entrySet()) {
                    codes.put(code.getKey(), code.getValue().getAsString());
                }
                Map<String, Integer> scores = new HashMap<>();
                if (answer.has("scores")) {
                    for (Map.Entry<String, JsonElement> score :
                            field(answer, "scores").getAsJsonObject().entrySet()) {
                        scores.put(score.getKey(), score.getValue().getAsInt());
                    }
                }
                answers.put(
                        field(answer, "name").getAsString(),
                        new PeerAnswer(
                                codes,
                                scores,
                                field(answer, "p50Nanos").getAsLong(),
                                field(answer, "p99Nanos").getAsLong()));
            }
            return answers;
        } catch (JsonParseException | IllegalStateException | NumberFormatException wrong) {
            throw new IOException(file + " does not contain answers: " + wrong.getMessage(), wrong);
        }
    }

    private static JsonElement field(JsonObject object, String name) {
        JsonElement value = object.get(name);
        if (value == null) {
            throw new JsonParseException("an answer has no " + name);
        }
        return value;
    }
}
