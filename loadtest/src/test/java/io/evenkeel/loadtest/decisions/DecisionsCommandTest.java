package io.evenkeel.loadtest.decisions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.CommandRun;
import io.evenkeel.loadtest.LoadtestMain;
import io.evenkeel.loadtest.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of the peers are scripts that return recorded results, because the real ones take minutes to build. */
@Tag("long")
final class DecisionsCommandTest {
    private static final String SYSTEM = "/usr/bin:/bin";

    @TempDir
    private Path directory;

    @Test
    void figuresOfEvenkeelAlone_whenThereIsNoGo() throws IOException, InterruptedException {
        Path tools = Files.createDirectory(directory.resolve("tools"));
        for (String tool : List.of("sh", "sleep")) {
            Files.copy(Path.of("/bin", tool), tools.resolve(tool));
        }
        CommandRun run = decisions(tools.toString());
        assertTrue(
                run.output().contains("No go command on the PATH; skipping the descheduler and kube-scheduler.\n"),
                () -> run.output() + run.errors());
        assertBounds(run, 4);
    }

    @Test
    void descheduler_runsOnATenth_untilItIsDone() throws IOException, InterruptedException {
        recordPeers("""
                {"runs": [{"nanos": 99000000000, "evictions": 700}, {"nanos": 1, "evictions": 0}], "nodes": {}}""");
        CommandRun run = decisions(directory + ":" + SYSTEM);
        assertTrue(
                run.output().contains("\nThe descheduler: 3 nodes, 300 pods of 300 skewed workloads, excess 0\n"),
                () -> run.output() + run.errors());
        assertTrue(run.output().matches("(?s).*\n  runs +1 +2\n  moves; evictions +0 +700\n.*"), run::output);
        assertTrue(run.output().matches("(?s).*\n  Rebalance, moves; evictions +0; 700 in 2 runs +no more +yes\n.*"));
        assertTrue(
                run.output()
                        .contains("DOES NOT HOLD: Preempt: nodes that it finds; the dry run: 30; 30, must be equal, "
                                + "like the best node and victims\n"),
                run::output);
        assertBounds(run, 9);
    }

    @Test
    void descheduler_runsOnceOnAll_ifLarge() throws IOException, InterruptedException {
        recordPeers("""
                {"runs": [{"nanos": 99000000000, "evictions": 700}], "nodes": {}}""");
        CommandRun run = decisions(directory + ":" + SYSTEM, "--large");
        assertTrue(
                run.output()
                        .matches("(?s).*\nThe descheduler: 30 nodes, 3,000 pods of 300 skewed workloads,"
                                + " excess [0-9,]+; only its first run\n.*"),
                () -> run.output() + run.errors());
        assertBounds(run, 8);
    }

    @Test
    void exitIsTwo_whenTheClusterIsTooSmallForTheDescheduler() {
        CommandRun run = CommandRun.of("bench", "decisions", "--nodes", "29", "--pods", "3000");
        assertEquals(2, run.exitCode());
        assertTrue(
                run.errors().contains("--nodes must be at least 30, and --pods at least 3000, were 29 and 3000"),
                run::errors);
    }

    private CommandRun decisions(String path, String... more) throws IOException, InterruptedException {
        List<String> args = new ArrayList<>(List.of("bench", "decisions", "--nodes", "30", "--pods", "3000"));
        args.addAll(List.of(
                "--seconds",
                "0.01",
                "--warmup",
                "0",
                "--work",
                directory.resolve("work").toString()));
        args.addAll(List.of(more));
        return ProgramRun.of(LoadtestMain.class, path, directory, args.toArray(String[]::new));
    }

    private static void assertBounds(CommandRun run, int bounds) {
        long missed = run.output()
                .lines()
                .filter(line -> line.startsWith("DOES NOT HOLD: "))
                .count();
        assertEquals((bounds - missed) + " of " + bounds + " bounds hold", run.lastLine(), run::output);
        assertEquals(missed == 0 ? 0 : 1, run.exitCode(), run::output);
    }

    /** Makes a {@code go} command that builds both programs. */
    private void recordPeers(String descheduled) throws IOException {
        Files.writeString(directory.resolve("descheduler.recorded"), descheduled);
        Files.writeString(directory.resolve("preemption.recorded"), """
                {"p50Nanos": 99000000000, "p99Nanos": 99000000000, "candidates": 30, "node": "none", "victims": []}""");
        Path go = Files.writeString(directory.resolve("go"), """
                #!/bin/sh
                [ "$1 $2 $4" = 'build -o .' ] && cp %s/built "$3" && chmod +x "$3"
                """.formatted(directory));
        Path built = Files.writeString(directory.resolve("built"), """
                #!/bin/sh
                while [ "$1" != -result ]; do shift; done
                cp %s/"${0##*/}".recorded "$2"
                """.formatted(directory));
        assertTrue(go.toFile().setExecutable(true) && built.toFile().setExecutable(true));
    }
}
