package io.evenkeel.loadtest.peer;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.text.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The plugin's side of the comparison: a Go program, which reads the cluster and the questions from files. */
final class PluginSide {
    private final GoProgram program;
    private final Path directory;
    private final Screen screen;

    /** @param directory the directory for the files, which remain there */
    PluginSide(GoProgram program, Path directory, Screen screen) {
        this.program = program;
        this.directory = directory;
        this.screen = screen;
    }

    /**
     * The answers by the names of their questions.
     *
     * @throws IOException if the program cannot be built or run, or does not answer every question
     */
    Map<String, PeerAnswer> ask(ClusterGenerator cluster, List<PeerQuestion> questions, int calls)
            throws IOException, InterruptedException {
        screen.line("Building loadtest/peer; the first build takes some minutes and downloads modules ...");
        program.build();
        Files.createDirectories(directory);
        Path clusterFile = directory.resolve("cluster.binpb");
        Path questionsFile = directory.resolve("questions.json");
        Path answersFile = directory.resolve("answers.json");
        Files.deleteIfExists(answersFile);
        PeerFiles.writeCluster(cluster, clusterFile);
        PeerFiles.writeQuestions(questions, questionsFile);
        screen.line("The plugin's side:");
        program.run(
                List.of(
                        "-cluster",
                        clusterFile.toString(),
                        "-questions",
                        questionsFile.toString(),
                        "-answers",
                        answersFile.toString(),
                        "-calls",
                        Integer.toString(calls)),
                line -> screen.line("  " + line));
        Map<String, PeerAnswer> answers = PeerFiles.readAnswers(answersFile);
        for (PeerQuestion question : questions) {
            if (!answers.containsKey(question.name())) {
                throw new IOException(answersFile + " has no answer for " + question.name());
            }
        }
        return answers;
    }
}
