package io.evenkeel.lab.peer;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

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

    static boolean canBeBuilt() {
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Stream.of(path.split(File.pathSeparator, -1))
                .anyMatch(each -> !each.isEmpty() && Files.isExecutable(Path.of(each, "go")));
    }

    /**
     * The answers by the names of their questions.
     *
     * @throws IOException if the program cannot be built or run, or does not answer every question
     */
    Map<String, PeerAnswer> ask(ClusterGenerator cluster, List<PeerQuestion> questions, int calls)
            throws IOException, InterruptedException {
        String program = directory.resolve("peer").toString();
        out.println("Building loadtest/peer; the first build takes some minutes and downloads modules ...");
        Files.createDirectories(directory);
        execute(List.of("go", "build", "-o", program, "."), line -> {});
        Path clusterFile = directory.resolve("cluster.binpb");
        Path questionsFile = directory.resolve("questions.json");
        Path answersFile = directory.resolve("answers.json");
        Files.deleteIfExists(answersFile);
        PeerFiles.writeCluster(cluster, clusterFile);
        PeerFiles.writeQuestions(questions, questionsFile);
        out.println("The plugin's side:");
        List<String> command = new ArrayList<>(List.of(program, "-calls", Integer.toString(calls)));
        command.addAll(List.of("-cluster", clusterFile.toString(), "-questions", questionsFile.toString()));
        command.addAll(List.of("-answers", answersFile.toString()));
        execute(command, line -> out.println("  " + line));
        Map<String, PeerAnswer> answers = PeerFiles.readAnswers(answersFile);
        for (PeerQuestion question : questions) {
            if (!answers.containsKey(question.name())) {
                throw new IOException(answersFile + " has no answer for " + question.name());
            }
        }
        return answers;
    }

    private void execute(List<String> command, Consumer<String> output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(sources.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> said = new ArrayList<>();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.add(line);
                output.accept(line);
            }
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new CommandFailure(
                        String.join(" ", command) + " (in " + sources + ") exited with " + exitCode, said);
            }
        } finally {
            process.destroy();
        }
    }
}
