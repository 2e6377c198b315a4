package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Run;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs {@code simulate}. */
final class SimulateTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void aLostZone_showsWhoSurvives() throws IOException {
        String lost = "topology.kubernetes.io/zone=a";
        CommandFiles.assertOutput(
                "lose-zone.txt",
                1,
                CommandFiles.run("simulate", "--cluster", "three-zones.yaml", "--lose", lost, "-A"));
        Run shop = CommandFiles.run("simulate", "--cluster", "three-zones.yaml", "--lose", lost, "-n", "kube-system");
        assertEquals(0, shop.exitCode(), shop::out);
        assertTrue(shop.out().contains("kube-system/DaemonSet/agent"), shop.out());
        assertTrue(!shop.out().contains("shop/"), shop.out());
    }

    @Test
    void anApiServer_givesTheSameAsFiles() throws IOException {
        try (ScriptedApiServer api = ScriptedApiServer.start()) {
            ServedFiles.put(api, CommandFiles.path("three-zones.yaml"));
            String kubeconfig = api.kubeconfig(directory, "", "").toString();
            Run run = CommandFiles.run(
                    "simulate", "--kube", "--kubeconfig", kubeconfig, "--lose", "topology.kubernetes.io/zone=a", "-A");
            CommandFiles.assertOutput("lose-zone.txt", 1, run);
        }
    }

    /** Default constraints depend on services and controllers of the namespaces of all pods that are placed. */
    @ParameterizedTest
    @CsvSource({
        "--lose topology.kubernetes.io/zone=a -n kube-system, /api/v1/services",
        "SCRIPT place 1 pods of web.yaml, /api/v1/namespaces/shop/services",
        "SCRIPT place 1 pods of other.yaml, /api/v1/namespaces/other/services",
        "SCRIPT place 1 pods of web.yaml;skew other.yaml, /api/v1/services"
    })
    void anApiServer_isAskedForTheNamespacesOfThePods(String what, String services) throws IOException {
        String web = Files.readString(CommandFiles.path("web.yaml"));
        Files.writeString(directory.resolve("web.yaml"), web);
        Files.writeString(directory.resolve("other.yaml"), web.replace("namespace: shop", "namespace: other"));
        Path script = directory.resolve("script");
        if (what.startsWith("SCRIPT ")) {
            Files.writeString(script, what.substring("SCRIPT ".length()).replace(';', '\n'));
        }
        try (ScriptedApiServer api = ScriptedApiServer.start()) {
            ServedFiles.put(api, CommandFiles.path("hosts-2-1.yaml"));
            String kubeconfig = api.kubeconfig(directory, "", "").toString();
            String words = what.startsWith("SCRIPT ") ? script.toString() : what;
            Run run = CommandFiles.run(("simulate --kube --kubeconfig " + kubeconfig + " " + words).split(" "));
            assertTrue(run.exitCode() < 2, run::err);
            assertEquals(
                    List.of("GET " + services),
                    api.asked().stream()
                            .filter(path -> path.contains("/services"))
                            .map(path -> path.replaceFirst("\\?.*", ""))
                            .toList());
        }
    }

    @Test
    void json_listsTheWorkloads() {
        Run run = CommandFiles.run(
                "simulate",
                "--cluster",
                "three-zones.yaml",
                "--lose",
                "topology.kubernetes.io/zone=a",
                "-A",
                "-o",
                "json");
        assertEquals(1, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(
                json.contains("\"workload\": \"shop/Deployment/large\", \"pods\": 3, \"lost\": 1, \"placedAgain\": 0,"
                        + " \"pending\": 1, \"left\": 2"),
                json);
    }

    @Test
    void script_carriesOutItsSteps_inFilesAndInAServer() throws IOException {
        Run run = CommandFiles.run("simulate", "--cluster", "hosts-2-1.yaml", "steps.txt");
        CommandFiles.assertOutput("steps-output.txt", 1, run);
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("hosts-2-1.yaml"));
            Run served = CommandFiles.run("simulate", "--server", ServedFiles.address(server), "steps.txt");
            CommandFiles.assertOutput("steps-output.txt", 1, served);
            assertEquals(0, server.instance().simulation().openSessions());
        }
    }

    @Test
    void scriptsJson_hasTheResultOfEachStep() throws IOException {
        for (String file : new String[] {"web.yaml", "node-b.yaml"}) {
            Files.copy(CommandFiles.path(file), directory.resolve(file));
        }
        Path script = Files.writeString(
                directory.resolve("script"),
                "add 1 nodes from node-b.yaml named new-\n\ncordon a2\nplace 3 pods of web.yaml\nremove node a1\n");
        Run run = CommandFiles.run("simulate", "--cluster", "hosts-2-1.yaml", script.toString(), "-o", "json");
        CommandFiles.assertOutput("steps.json", 0, run);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plase 3 pods of web.yaml | there is no step 'plase'; did you mean place?",
                "place pods of web.yaml | must be 'place N pods of FILE [on NODE]', was 'place pods of web.yaml'",
                "place 0 pods of web.yaml | N must be a number from 1 to 999999, was '0'",
                "place 2 pods of absent.yaml | absent.yaml: no such file",
                "add 2 nodes from web.yaml named n- | web.yaml must have one Node",
                "label a1 disk | must be 'label NODE KEY=VALUE', was 'label a1 disk'",
                "cordon absent | is unknown (changeNode.node)",
                "revert | must follow a fork",
                "place 2 pods of web.yaml on absent | node \"absent\" is unknown (node)",
            })
    void aWrongStep_isNamedByItsLine(String step, String message) throws IOException {
        for (String file : new String[] {"web.yaml", "node-a.yaml"}) {
            Files.copy(CommandFiles.path(file), directory.resolve(file));
        }
        Path script = Files.writeString(directory.resolve("script"), "# first\n\n" + step + "\n");
        Run run = CommandFiles.run("simulate", "--cluster", "hosts-2-1.yaml", script.toString());
        String line = CommandFiles.rejection("evenkeel simulate: " + script + ", line 3: ", run);
        assertTrue(line.replace(directory + "/", "").contains(message), line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--lose zone | evenkeel simulate: --lose must be KEY=VALUE, was 'zone'",
                "--lose topology.kubernetes.io/zone=x | evenkeel simulate: no node has the label topology.kubernetes.io/zone=x",
                "steps.txt --lose a=b | evenkeel simulate: SCRIPT, --lose=KEY=VALUE are mutually exclusive",
                "steps.txt -A | evenkeel simulate: -A needs pods of the cluster",
                "absent.txt | evenkeel simulate: absent.txt: no such file",
            })
    void wrongInput_isOneLine(String options, String start) {
        CommandFiles.rejection(start, CommandFiles.run(("simulate --cluster hosts-2-1.yaml " + options).split(" ")));
    }

    @Test
    void podsOfTheCluster_areMovedAndDeleted() throws IOException {
        Files.writeString(directory.resolve("web.yaml"), Files.readString(CommandFiles.path("web.yaml")));
        Path script = Files.writeString(directory.resolve("script"), """
                move pod shop/web-6f-0 to c1
                delete pod web-6f-1
                skew web.yaml
                """);
        String[] words = ("simulate --cluster three-zones.yaml -n shop " + script).split(" ");
        Run run = CommandFiles.run(words);
        List<String> domains = run.lines().stream()
                .filter(line -> line.matches(" +[abc] .*"))
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
        assertEquals(List.of("a 0", "b 0", "c 2"), domains, run::toString);
        Files.writeString(script, "delete pod web-6f-1\n", StandardOpenOption.APPEND);
        assertTrue(CommandFiles.run(words).err().contains("script, line 4: pod \"shop/web-6f-1\" is unknown"));
    }

    @Test
    void everyStep_isInTheHelpAndOnThePage() throws IOException {
        String help = CommandFiles.run("simulate", "--help").out();
        String page = Files.readString(Path.of("../docs/what-if.md"));
        for (String step : SimulationScript.steps()) {
            assertTrue(help.contains(step), step);
            assertTrue(page.contains("`" + step + "`"), step);
        }
    }

    @Test
    void anEmptyScript_isRejected() throws IOException {
        Path script = Files.writeString(directory.resolve("script"), "# nothing\n");
        CommandFiles.rejection(
                "evenkeel simulate: " + script + " has no step",
                CommandFiles.run("simulate", "--cluster", "hosts-2-1.yaml", script.toString()));
    }
}
