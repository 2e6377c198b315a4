package io.evenkeel.loadtest.feed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.CommandRun;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
final class FeedCommandTest {
    @Test
    void smallCluster_isFedInEveryWay_andFiguresOutOfBoundsFailTheCommand() {
        CommandRun run = CommandRun.of("bench", "feed", "--nodes", "30", "--pods", "1200", "--seconds", "0.05");
        List<String> lines = run.output().lines().skip(1).toList();
        assertTrue(lines.size() >= 9, () -> run.output() + run.errors());
        List<String> rows = lines.subList(0, 7);
        for (String row : rows) {
            assertTrue(row.endsWith("yes") || row.endsWith("NO"), row);
        }
        assertTrue(lines.get(7).contains("best of 8 windows; the median had "), run::output);
        assertTrue(rows.get(5).contains("pod events through Sync, 900 B each"), run::output);
        long missed = rows.stream().filter(row -> row.endsWith("NO")).count();
        assertEquals(
                missed,
                lines.stream()
                        .filter(line -> line.startsWith("DOES NOT HOLD: "))
                        .count(),
                run::output);
        assertEquals((7 - missed) + " of 7 bounds hold", run.lastLine());
        assertEquals(missed == 0 ? 0 : 1, run.exitCode(), run::output);
    }

    @Test
    void exitIsTwo_withoutPods() {
        CommandRun run = CommandRun.of("bench", "feed", "--pods", "0");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--pods must be at least 1"), run::errors);
    }
}
