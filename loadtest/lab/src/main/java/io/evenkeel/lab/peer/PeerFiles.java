package io.evenkeel.lab.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes and reads the questions and answers of the Go program, as JSON, whose format {@code peer -h} describes. */
final class PeerFiles {
    private static final ObjectMapper JSON = new ObjectMapper();

    private PeerFiles() {}

    /** @param pod its protobuf bytes in base64 */
    private record WrittenQuestion(String name, String pod, List<String> candidates, int copies) {}

    static void writeQuestions(List<PeerQuestion> questions, Path file) throws IOException {
        JSON.writeValue(
                file.toFile(),
                questions.stream()
                        .map(question -> new WrittenQuestion(
                                question.name(),
                                Base64.getEncoder()
                                        .encodeToString(question.pod().toByteArray()),
                                question.candidates(),
                                question.copies()))
                        .toList());
    }

    /**
     * The answers by the names of their questions.
     *
     * @throws IOException if the file cannot be read or does not contain answers
     */
    static Map<String, PeerAnswer> readAnswers(Path file) throws IOException {
        try {
            JsonNode list = JSON.readTree(file.toFile());
            if (!list.isArray()) {
                throw new IllegalArgumentException("it is no list");
            }
            Map<String, PeerAnswer> answers = new HashMap<>();
            for (JsonNode answer : list) {
                answers.put(
                        answer.required("name").asText(),
                        new PeerAnswer(
                                JSON.convertValue(answer.required("codes"), new TypeReference<>() {}),
                                answer.has("scores")
                                        ? JSON.convertValue(answer.get("scores"), new TypeReference<>() {})
                                        : Map.of(),
                                answer.has("placed")
                                        ? JSON.convertValue(answer.get("placed"), new TypeReference<>() {})
                                        : List.of(),
                                answer.required("p50Nanos").asLong(),
                                answer.required("p99Nanos").asLong()));
            }
            return answers;
        } catch (JsonProcessingException | IllegalArgumentException wrong) {
            throw new IOException(file + " does not contain answers: " + wrong.getMessage(), wrong);
        }
    }
}
