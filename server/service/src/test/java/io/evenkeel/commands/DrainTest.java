package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Run;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.Revision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs {@code drain}. */
final class DrainTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static Run drain(String... arguments) {
        List<String> all = new ArrayList<>(List.of("drain", "--cluster", "two-zones.yaml"));
        all.addAll(List.of(arguments));
        return CommandFiles.run(all.toArray(String[]::new));
    }

    @Test
    void podsThatPreventARemoval_areListedWithTheirReasons() throws IOException {
        CommandFiles.assertOutput("drain.txt", 1, drain("a1", "b1"));
    }

    /** Zone a has no other node for its pod, because both are cordoned. */
    @Test
    void namedNodes_areCordonedTogether_asByKubectl() throws IOException {
        CommandFiles.assertOutput("drain-zone.txt", 1, drain("a1", "a2"));
        CommandFiles.assertOutput("drain-each.txt", 0, drain("a1", "a2", "--each"));
    }

    /** Zone a has no node once both are gone. An empty node is still one, without pods of web. */
    @Test
    void nodeThatIsGoneAtOnce_isNoDomain() {
        Run emptied = drain("a2", "a1");
        assertEquals(1, emptied.exitCode(), emptied::out);
        Run gone = drain("a2", "a1", "--gone-at-once");
        assertEquals(0, gone.exitCode(), gone::out);
        assertTrue(gone.out().contains("shop/web-6f-0  b"), gone.out());
    }

    @ParameterizedTest
    @CsvSource({"spread, a2", "first, a1"})
    void rule_choosesTheNode(String rule, String node) {
        Run run = drain("b2", "--rule", rule);
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(run.out().contains("shop/cache-1  " + node), run.out());
    }

    @Test
    void json_namesTheNodesOfTheRemovals() {
        Run run = drain("b2", "b1", "-o", "json");
        assertEquals(1, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(
                json.startsWith("{ \"destinations\": [ \"a2\" ], \"disruptionBudgetsUnknown\": false,"
                        + " \"nodes\": [ \"b2\", \"b1\" ], \"notScored\": [], \"removals\": [ {"),
                json);
        assertTrue(json.contains("\"reason\": \"BLOCKING_REASON_NOT_SAFE_TO_EVICT\""), json);
    }

    @Test
    void budgetThatAllowsNoEviction_isNamed_andFilesWithoutBudgetsLeaveThemUnknown() throws IOException {
        String cluster = Files.readString(CommandFiles.path("two-zones.yaml"));
        Path usedUp = Files.writeString(
                directory.resolve("used-up.yaml"), cluster.replace("disruptionsAllowed: 1", "disruptionsAllowed: 0"));
        Run run = CommandFiles.run("drain", "--cluster", usedUp.toString(), "a1");
        assertTrue(
                run.out()
                        .contains("shop/cache-0  NOT_ENOUGH_DISRUPTION_BUDGET: no more evictions are allowed by cache"),
                run.out());
        Path without = Files.writeString(
                directory.resolve("without.yaml"),
                cluster.substring(0, cluster.indexOf("- kind: PodDisruptionBudget")));
        run = CommandFiles.run("drain", "--cluster", without.toString(), "a1", "b1");
        CommandFiles.assertOutput("drain-without-budgets.txt", 1, run);
    }

    @Test
    void serversAndApiServers_giveTheSameAsFiles_andStayAsTheyAre() throws IOException {
        Path cluster = CommandFiles.path("two-zones.yaml");
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, cluster);
            Revision before = revision(server);
            Run served = CommandFiles.run("drain", "--server", ServedFiles.address(server), "a1", "b1");
            CommandFiles.assertOutput("drain.txt", 1, served);
            assertEquals(before, revision(server));
            assertEquals(0, server.instance().simulation().openSessions());
        }
        try (ScriptedApiServer api = ScriptedApiServer.start()) {
            ServedFiles.put(api, cluster);
            String kubeconfig = api.kubeconfig(directory, "", "").toString();
            Run run = CommandFiles.run("drain", "--kube", "--kubeconfig", kubeconfig, "a1", "b1");
            CommandFiles.assertOutput("drain.txt", 1, run);
            api.refuse(ObjectKind.POD_DISRUPTION_BUDGET, new ScriptedApiServer.Refusal(403, "", null));
            run = CommandFiles.run("drain", "--kube", "--kubeconfig", kubeconfig, "a1", "b1");
            CommandFiles.assertOutput("drain-without-budgets.txt", 1, run);
        }
    }

    private static Revision revision(EvenkeelServer server) {
        return server.instance()
                .clusterState()
                .getStatus(GetStatusRequest.getDefaultInstance())
                .getRevision();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a1 absent | evenkeel drain: node \"absent\" is unknown",
                "a1 a1 | evenkeel drain: nodes[1] must not be named before in nodes",
                "a1 --rule=best | evenkeel drain: Invalid value for option '--rule'",
                "--each | evenkeel drain: Missing required parameter: 'NODE'",
            })
    void wrongInput_isOneLine(String options, String start) {
        CommandFiles.rejection(start, drain(options.split(" ")));
    }
}
