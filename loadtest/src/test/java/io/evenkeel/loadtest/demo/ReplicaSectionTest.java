package io.evenkeel.loadtest.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.LocalServer;
import io.evenkeel.loadtest.text.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

final class ReplicaSectionTest {
    @Test
    void workloads_areAskedAboutInSeveralCalls_whenOneTakesNotAll() throws Exception {
        // The server needs only the nodes. Fewer pods change only the answers.
        ClusterGenerator few = new ClusterGenerator(ClusterShape.of(1, 12, 100));
        ClusterGenerator many = new ClusterGenerator(ClusterShape.of(1, 12, 450_000));
        int workloads = many.workloads().size();
        assertTrue(workloads > 1_024 && workloads < 2_048, () -> "workloads: " + workloads);
        StringWriter text = new StringWriter();
        Screen screen = new Screen(new PrintWriter(text), Ansi.OFF);
        Claims claims = new Claims(screen);
        try (LocalServer server = LocalServer.start()) {
            ClusterFill.send(few, server.client(), new Screen(new PrintWriter(Writer.nullWriter()), Ansi.OFF));
            new ReplicaSection(screen, claims, server.client()).show(many);
        }
        assertEquals(0, claims.broken(), text::toString);
        assertTrue(text.toString().contains("2 calls of at most 1,024 pods for a replica"), text::toString);
    }
}
