package io.evenkeel.lab.peer;

import io.evenkeel.loadtest.local.ClusterFile;
import io.evenkeel.loadtest.local.GoProgram;
import io.evenkeel.v1.ClusterObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The plugin's side of the comparison: a Go program, which reads the cluster and the questions from files. */
public final class PluginSide {
    private final Path sources;
    private final Path directory;
    private final PrintWriter out;

    /**
     * @param sources the directory of the program's go.mod
     * @param directory the absolute directory for the program and the files, which remain there
     */
    public PluginSide(Path sources, Path directory, PrintWriter out) {
        this.sources = sources;
        this.directory = directory;
        this.out = out;
    }

    /**
     * The answers by the names of their questions.
     *
     * @param cluster the objects of the cluster
     * @param calls how many timed calls it makes for each question
     * @throws IOException if the program cannot be built or run, or does not answer every question
     */
    public Map<String, PeerAnswer> ask(Iterator<ClusterObject> cluster, List<PeerQuestion> questions, int calls)
            throws IOException, InterruptedException {
        out.println("Building loadtest/peer; the first build takes some minutes and downloads modules ...");
        Files.createDirectories(directory);
        GoProgram program = new GoProgram(sources, directory.resolve("peer"));
        program.build();
        Path clusterFile = directory.resolve("cluster.binpb");
        Path questionsFile = directory.resolve("questions.json");
        Path answersFile = directory.resolve("answers.json");
        Files.deleteIfExists(answersFile);
        ClusterFile.write(cluster, clusterFile);
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
