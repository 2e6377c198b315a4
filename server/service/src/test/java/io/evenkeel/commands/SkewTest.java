package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

/** Tests the command {@code skew}. */
final class SkewTest {
    private static Run skew(String... arguments) {
        List<String> all = new ArrayList<>(List.of("skew", "--cluster", "uneven.yaml"));
        all.addAll(List.of(arguments));
        return CommandFiles.run(all.toArray(String[]::new));
    }

    @Test
    void constraintsOfTheNamespace_areListed_worstFirst() throws IOException {
        CommandFiles.assertOutput("skew.txt", 1, skew("-n", "shop"));
    }

    @Test
    void domainsOfNamedWorkloads_areShown() throws IOException {
        CommandFiles.assertOutput("skew-domains.txt", 1, skew("-n", "shop", "deployment/web", "StatefulSet/db"));
    }

    @Test
    void allNamespaces_orOnlyViolations_areListed() {
        Run all = skew("-A");
        assertTrue(all.out().startsWith("2 of 3 workloads violate a constraint.\n"), all.out());
        assertFalse(all.out().contains("DaemonSet"), all.out());
        Run violated = skew("-A", "--violated");
        assertTrue(violated.out().startsWith("2 of 2 workloads violate a constraint.\n"), violated.out());
        assertEquals(0, skew("-n", "kube-system").exitCode());
    }

    @Test
    void json_hasTheMessages() {
        Run run = skew("-n", "shop", "Deployment/web", "-o", "json");
        assertEquals(1, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(
                json.startsWith(
                        "{ \"workloads\": [ { \"workload\": { \"namespace\": \"shop\", \"kind\": \"Deployment\","
                                + " \"name\": \"web\" }, \"podCount\": \"7\", \"pendingPodCount\": \"1\","),
                json);
        assertTrue(json.contains("{ \"value\": \"c\", \"podCount\": \"0\" }"), json);
    }

    @Test
    void server_givesTheSameAsFiles() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("uneven.yaml"));
            CommandFiles.assertOutput(
                    "skew.txt", 1, CommandFiles.run("skew", "--server", ServedFiles.address(server), "-n", "shop"));
        }
    }

    @Test
    void whatIsNotThere_isRejected() {
        CommandFiles.rejection(
                "evenkeel skew: namespace shop has no workload Deployment/none", skew("-n", "shop", "Deployment/none"));
        String namespace = CommandFiles.rejection("evenkeel skew: ", skew("-n", "none"));
        assertTrue(namespace.contains("namespace none has no pods"), namespace);
        Run both = skew("-A", "-n", "shop");
        assertEquals(2, both.exitCode(), both::out);
    }

    @Test
    void outputOfThePage_isThatOfTheCommand() throws IOException {
        String page = Files.readString(Path.of("../docs/skew.md"));
        for (String file : List.of("skew.txt", "skew-domains.txt")) {
            String output = Files.readString(CommandFiles.path(file));
            assertTrue(page.contains("```\n" + output + "```\n"), () -> output);
        }
    }
}
