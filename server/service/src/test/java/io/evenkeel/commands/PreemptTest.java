package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Run;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the command {@code preempt}. */
final class PreemptTest {
    private static Run preempt(String... arguments) {
        List<String> all = new ArrayList<>(List.of("preempt", "--cluster", "full.yaml"));
        all.addAll(List.of(arguments));
        return CommandFiles.run(all.toArray(String[]::new));
    }

    @Test
    void victims_areShown_bestNodeFirst() throws IOException {
        CommandFiles.assertOutput("preempt.txt", 0, preempt("shop/web-2"));
        CommandFiles.assertOutput("preempt.txt", 0, preempt("-n", "shop", "web-2"));
    }

    @Test
    void podWithoutVictims_getsTheMessageOfKubeScheduler() {
        Run run = preempt("shop/web-2", "--priority", "0");
        assertEquals(1, run.exitCode(), run::err);
        assertEquals("""
                preemption: 0/4 nodes are available: 1 Preemption is not helpful for scheduling, 3 No preemption
                victims found for incoming pod.
                """, run.out());
    }

    @Test
    void json_isTheMessage() {
        String json = preempt("shop/web-2", "-o", "json").out().replaceAll("\\s+", " ");
        assertTrue(json.contains("\"outcome\": \"PREEMPTION_OUTCOME_HELPFUL\""), json);
        assertTrue(json.contains("\"victims\": [{ \"pod\": { \"uid\": \"batch-1\""), json);
    }

    @Test
    void server_isAskedAboutManifests() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("full.yaml"));
            String address = ServedFiles.address(server);
            Run run = CommandFiles.run("preempt", "--server", address, "--pod", "web.yaml", "--priority", "5");
            assertTrue(run.exitCode() < 2, run::err);
            Run named = CommandFiles.run("preempt", "--server", address, "shop/web-2");
            assertEquals(2, named.exitCode());
            assertTrue(named.err().contains("a server does not list its pods"), named::err);
        }
    }

    @Test
    void whatIsNotThere_isRejected() {
        CommandFiles.rejection("evenkeel preempt: the cluster has no pod shop/none", preempt("shop/none"));
        CommandFiles.rejection("evenkeel preempt: Missing required argument", preempt());
        CommandFiles.rejection("evenkeel preempt: the controller of a DaemonSet", preempt("--pod", "node-a.yaml"));
    }

    @Test
    void outputOfThePage_isThatOfTheCommand() throws IOException {
        String page = Files.readString(Path.of("../docs/preemption.md"));
        String output = Files.readString(CommandFiles.path("preempt.txt"));
        assertTrue(page.contains("```\n" + output + "```\n"), () -> output);
    }
}
