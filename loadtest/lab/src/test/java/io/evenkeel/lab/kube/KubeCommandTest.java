package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.lab.Lab;
import io.evenkeel.loadtest.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KubeCommandTest {
    @Test
    @Tag("kube")
    void smallCluster_isFollowed_andItsDataIsUsedAgain(@TempDir Path kept) throws IOException {
        requireFigures(run(kept));
        FileTime filled = Files.getLastModifiedTime(kept.resolve("cluster.txt"));
        requireFigures(run(kept));
        assertEquals(filled, Files.getLastModifiedTime(kept.resolve("cluster.txt")));
    }

    private static CommandRun run(Path kept) {
        return CommandRun.of(
                Lab.commandLine(),
                "kube",
                "--nodes",
                "20",
                "--pods",
                "600",
                "--rate",
                "50",
                "--seconds",
                "2",
                "--starts",
                "1",
                "--keep",
                kept.toString());
    }

    private static void requireFigures(CommandRun run) {
        List<String> rows = run.output()
                .lines()
                .filter(line -> line.endsWith("yes") || line.endsWith("NO"))
                .toList();
        assertEquals(5, rows.size(), () -> run.output() + run.errors());
        long missed = rows.stream().filter(row -> row.endsWith("NO")).count();
        assertEquals((5 - missed) + " of 5 bounds hold", run.lastLine());
        assertEquals(missed == 0 ? 0 : 1, run.exitCode(), run::output);
    }

    @Test
    void exitIsTwo_withoutPods() {
        CommandRun run = CommandRun.of(Lab.commandLine(), "kube", "--pods", "0");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--pods must be at least 1"), run::errors);
    }
}
