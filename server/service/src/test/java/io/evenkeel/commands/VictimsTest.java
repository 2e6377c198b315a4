package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Run;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.VictimStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the command {@code victims}, without an API server. */
final class VictimsTest {
    private static Run victims(String... arguments) {
        List<String> all = new ArrayList<>(List.of("victims", "--cluster", "uneven.yaml", "-n", "shop"));
        all.addAll(List.of(arguments));
        return CommandFiles.run(all.toArray(String[]::new));
    }

    @Test
    void victims_areListed_withTheSkewsThatRemain() throws IOException {
        CommandFiles.assertOutput("victims.txt", 0, victims("deployment/web", "--by", "4"));
    }

    @Test
    void outputOfThePage_isThatOfTheCommand() throws IOException {
        String page = Files.readString(Path.of("../docs/victims.md"));
        String output = Files.readString(CommandFiles.path("victims.txt"));
        assertTrue(page.contains("```\n" + output + "```\n"), () -> output);
    }

    @Test
    void server_givesTheSameAsFiles_andSaysWhatItDoesNotKeep() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("uneven.yaml"));
            Run run = CommandFiles.run(
                    "victims", "--server", ServedFiles.address(server), "-n", "shop", "Deployment/web", "--by", "4");
            assertEquals(0, run.exitCode(), run::err);
            String ofFiles = Files.readString(CommandFiles.path("victims.txt"));
            assertTrue(run.out().startsWith(ofFiles), run::out);
            assertTrue(run.out().substring(ofFiles.length()).startsWith("A server does not keep"), run::out);
        }
    }

    @Test
    void json_hasTheFieldsOfTheResponse() {
        Run run = victims("ReplicaSet/web-6f", "--by", "1", "-o", "json");
        assertEquals(0, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(json.contains("\"controller\": { \"namespace\": \"shop\", \"kind\": \"ReplicaSet\""), json);
        assertTrue(json.contains("\"victims\": [ { \"name\": \"web-6f-6\""), json);
    }

    @Test
    void workloads_thatCannotBeRanked_areRejected() {
        String stateful = CommandFiles.rejection("evenkeel victims: ", victims("statefulset/db", "--by", "1"));
        assertTrue(stateful.contains("highest ordinal first"), stateful);
        String rolling = CommandFiles.rejection("evenkeel victims: ", victims("Deployment/api", "--by", "1"));
        assertTrue(rolling.contains("\"api-5d\", \"api-7c\""), rolling);
        String more = CommandFiles.rejection("evenkeel victims: ", victims("Deployment/web", "--by", "8"));
        assertTrue(more.contains("--by must be at most 7"), more);
        CommandFiles.rejection("evenkeel victims: the workload must be KIND/NAME", victims("web", "--by", "1"));
        CommandFiles.rejection("evenkeel victims: --by is missing", victims("Deployment/web"));
        CommandFiles.rejection(
                "evenkeel victims: --by must be at least 1, was 0", victims("Deployment/web", "--by", "0"));
        CommandFiles.rejection(
                "evenkeel victims: --annotate needs --kube", victims("Deployment/web", "--by", "1", "--annotate"));
        CommandFiles.rejection("evenkeel victims: --clear needs --kube", victims("Deployment/web", "--clear"));
        CommandFiles.rejection(
                "evenkeel victims: --clear cannot be combined", victims("Deployment/web", "--clear", "--by", "1"));
    }

    // ---- what a ReplicaSet looks at first

    private static Pod pod(String name, String phase, boolean ready, String... annotations) {
        ObjectMeta.Builder metadata = ObjectMeta.newBuilder().setName(name);
        for (int i = 0; i < annotations.length; i += 2) {
            metadata.putAnnotations(annotations[i], annotations[i + 1]);
        }
        return Pod.newBuilder()
                .setMetadata(metadata)
                .setStatus(PodStatus.newBuilder()
                        .setPhase(phase)
                        .addConditions(
                                PodCondition.newBuilder().setType("Ready").setStatus(ready ? "True" : "False")))
                .build();
    }

    @Test
    void stages_areInTheOrderOfReplicaSets() {
        String cost = DeletionOrder.COST;
        List<Pod> pods = List.of(
                pod("dear", "Running", true, cost, "5"),
                pod("free", "Running", true),
                pod("own", "Running", true, cost, "-7", ReplicaState.WRITTEN, "-7"),
                pod("changed", "Running", true, cost, "-8", ReplicaState.WRITTEN, "-7"),
                pod("zero", "Running", true, cost, "0"),
                pod("unready", "Running", false),
                pod("unreadyCheap", "Running", false, cost, "-1"),
                pod("pending", "Pending", false),
                pod("withoutStatus", "", false));

        assertEquals(
                List.of(
                        List.of("pending"),
                        List.of("unreadyCheap"),
                        List.of("unready"),
                        List.of("changed"),
                        List.of("free", "own", "withoutStatus"),
                        List.of("zero"),
                        List.of("dear")),
                ReplicaState.stages(pods).stream()
                        .map(VictimStage::getPodsList)
                        .map(List::copyOf)
                        .toList());
        assertEquals("not ready, cost -1", ReplicaState.of(pods.get(6)).toString());
        assertEquals("", ReplicaState.of(pods.get(2)).toString());
    }
}
