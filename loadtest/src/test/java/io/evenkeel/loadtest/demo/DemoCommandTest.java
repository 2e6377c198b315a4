package io.evenkeel.loadtest.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.CommandRun;
import org.junit.jupiter.api.Test;

final class DemoCommandTest {
    @Test
    void everyClaimHolds_inPlainLinesOfAHundredColumns_onALittleCluster() {
        CommandRun run = CommandRun.of("demo", "--nodes", "90", "--pods", "4000", "--seed", "3");
        assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
        assertTrue(run.lastLine().matches("All \\d\\d+ claims about these answers hold\\."), run::output);
        assertTrue(run.output().contains("(seed 3)"), run::output);
        assertTrue(run.output().contains("90 nodes in 3 zones, 4,000 pods"), run::output);
        assertTrue(run.output().contains("topology.kubernetes.io/zone: DoNotSchedule, maxSkew 1"), run::output);
        assertFalse(run.output().contains("WRONG"), run::output);
        // The summary of an explanation is one line, as in kube-scheduler.
        run.output()
                .lines()
                .filter(line -> !line.contains("nodes are available"))
                .forEach(line -> {
                    assertTrue(line.length() <= 100, () -> line.length() + " columns: " + line);
                    assertTrue(line.chars().allMatch(c -> c >= ' ' && c <= '~'), () -> "not plain: " + line);
                });
    }

    @Test
    void everyClaimHolds_whenThereIsNoPod() {
        CommandRun run = CommandRun.of("demo", "--nodes", "1", "--pods", "0");
        assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
    }

    @Test
    void exitIsTwo_whenThereIsNoNode() {
        CommandRun run = CommandRun.of("demo", "--nodes", "0");
        assertEquals(2, run.exitCode());
        assertEquals(
                "evenkeel demo: nodes must be at least 1, was 0 (see evenkeel demo --help)",
                run.errors().strip());
    }
}
