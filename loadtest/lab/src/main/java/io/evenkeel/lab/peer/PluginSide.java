package io.evenkeel.lab.peer;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.local.ClusterFile;
import io.evenkeel.loadtest.local.GoProgram;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The plugin's side of the comparison: a Go program, which reads the cluster and the questions from files. */
final class PluginSide {
    private final Path sources;
    private final Path directory;
    private final PrintWriter out;

    /**
     * @param sources the directory of the program's go.mod
     * @param directory the absolute directory for the program and the files, which remain there
     */
    PluginSide(Path sources, Path directory, PrintWriter out) {
        this.sources = sources;
        this.directory = directory;
        this.out = out;
    }

    /**
     * The answers by the names of their questions.
     *
     * @throws IOException if the program cannot be built or run, or does not answer every question
     */
    Map<String, PeerAnswer> ask(ClusterGenerator cluster, List<PeerQuestion> questions, int calls)
            throws IOException, InterruptedException {
        out.println("Building loadtest/peer; the first build takes some minutes and downloads modules ...");
        Files.createDirectories(directory);
        GoProgram program = new GoProgram(sources, directory.resolve("peer"));
        program.build();
        Path clusterFile = directory.resolve("cluster.binpb");
        Path questionsFile = directory.resolve("questions.json");
        Path answersFile = directory.resolve("answers.json");
        Files.deleteIfExists(answersFile);
        ClusterFile.write(cluster.objects(), clusterFile);
        PeerFiles.writeQuestions(questions, questionsFile);
        out.println("The plugin's side:");
        program.run(
                line -> out.println("  " + line),
                "-calls",
                Integer.toString(calls),
                "-cluster",
                clusterFile.toString(),
                "-questions",
                questionsFile.toString(),
                "-answers",
                answersFile.toString());
        Map<String, PeerAnswer> answers = PeerFiles.readAnswers(answersFile);
        for (PeerQuestion question : questions) {
            if (!answers.containsKey(question.name())) {
                throw new IOException(answersFile + " has no answer for " + question.name());
            }
        }
        return answers;
    }
}
