package io.evenkeel.loadtest.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.evenkeel.loadtest.CommandRun;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.v1.ClusterObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClusterCommandTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"cluster.json, 123", "cluster.json.gz, 31"})
    void file_holdsTheGeneratedCluster_asTheServerReadsIt(String name, int firstByte) throws IOException {
        Path file = directory.resolve(name);
        CommandRun run = CommandRun.of(
                "bench",
                "cluster",
                "--nodes",
                "40",
                "--pods",
                "1200",
                "--shape",
                "many",
                "--seed",
                "4",
                "--out",
                file.toString());
        assertEquals(0, run.exitCode(), run::errors);
        assertEquals("1,246 objects (40 nodes, 1,200 pods) are in " + file, run.lastLine());
        assertEquals(firstByte, Files.readAllBytes(file)[0]);
        ClusterGenerator cluster =
                new ClusterGenerator(ClusterShape.of(4, 40, 1_200).withSizes(WorkloadSizes.MANY));
        try (ObjectReader reader = ObjectReader.of(Files.newInputStream(file), "cluster")) {
            for (Iterator<ClusterObject> objects = cluster.objects(); objects.hasNext(); ) {
                assertEquals(inner(objects.next()), reader.next());
            }
            assertNull(reader.next());
        }
    }

    @Test
    void exitIsTwo_whenTheFileCannotBeWritten() {
        Path file = directory.resolve("none/cluster.json");
        CommandRun run = CommandRun.of("bench", "cluster", "--nodes", "3", "--pods", "3", "--out", file.toString());
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().startsWith("evenkeel bench cluster: cannot write " + file), run::errors);
    }

    @Test
    void exitIsTwo_whenNoCommandIsGiven() {
        CommandRun run = CommandRun.of("bench");
        assertEquals(2, run.exitCode());
        assertEquals(
                "evenkeel bench: Missing required subcommand (see evenkeel bench --help)",
                run.errors().strip());
    }

    private static Message inner(ClusterObject object) {
        return (Message) object.getAllFields().values().iterator().next();
    }
}
