package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.lab.Lab;
import io.evenkeel.loadtest.CommandRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KubeCommandTest {
    @Test
    @Tag("kube")
    void smallCluster_isFollowed_andItsDataIsKept(@TempDir Path kept) {
        CommandRun run = CommandRun.of(
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
        List<String> rows = run.output()
                .lines()
                .filter(line -> line.endsWith("yes") || line.endsWith("NO"))
                .toList();
        assertEquals(5, rows.size(), () -> run.output() + run.errors());
        long missed = rows.stream().filter(row -> row.endsWith("NO")).count();
        assertEquals((5 - missed) + " of 5 bounds hold", run.lastLine());
        assertEquals(missed == 0 ? 0 : 1, run.exitCode(), run::output);
        assertTrue(Files.exists(kept.resolve("cluster.txt")));
    }

    @Test
    void exitIsTwo_withoutPods() {
        CommandRun run = CommandRun.of(Lab.commandLine(), "kube", "--pods", "0");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--pods must be at least 1"), run::errors);
    }
}
