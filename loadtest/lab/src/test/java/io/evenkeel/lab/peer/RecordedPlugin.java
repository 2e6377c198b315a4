package io.evenkeel.lab.peer;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A {@code go} command for tests, which have neither the plugin nor its modules. The program that it builds is a script
 * that prints recorded answers, or fails.
 */
final class RecordedPlugin {
    private final Path directory;

    RecordedPlugin(Path directory) {
        this.directory = directory;
    }

    /** A {@code PATH} on which its {@code go} comes first. */
    String path() {
        return directory + ":/usr/bin:/bin";
    }

    void answers(List<PeerQuestion> questions, List<PeerAnswer> answers) throws IOException {
        JsonArray list = new JsonArray();
        for (int i = 0; i < questions.size(); i++) {
            list.add(json(questions.get(i).name(), answers.get(i)));
        }
        Path recorded = directory.resolve("recorded.json");
        Files.writeString(recorded, list.toString());
        builds("while [ \"$1\" != -answers ]; do shift; done; cp " + recorded + " \"$2\"; echo answered");
    }

    void fails(String words) throws IOException {
        builds("echo " + words + "; exit 1");
    }

    /** Makes {@code go build -o BINARY .} write a script with that command. */
    private void builds(String command) throws IOException {
        Path built = directory.resolve("built");
        Files.writeString(built, "#!/bin/sh\n" + command + "\n");
        Path go = directory.resolve("go");
        Files.writeString(
                go, "#!/bin/sh\n[ \"$1 $2 $4\" = 'build -o .' ] && cp " + built + " \"$3\" && chmod +x \"$3\"\n");
        if (!go.toFile().setExecutable(true)) {
            throw new IOException(go + " could not be made executable");
        }
    }

    private static JsonObject json(String name, PeerAnswer answer) {
        JsonObject json = new JsonObject();
        json.addProperty("name", name);
        json.addProperty("p50Nanos", answer.p50Nanos());
        json.addProperty("p99Nanos", answer.p99Nanos());
        JsonObject codes = new JsonObject();
        answer.codes().forEach(codes::addProperty);
        json.add("codes", codes);
        if (!answer.scores().isEmpty()) {
            JsonObject scores = new JsonObject();
            for (Map.Entry<String, Integer> score : answer.scores().entrySet()) {
                scores.addProperty(score.getKey(), score.getValue());
            }
            json.add("scores", scores);
        }
        JsonArray placed = new JsonArray();
        answer.placed().forEach(placed::add);
        json.add("placed", placed);
        return json;
    }
}
