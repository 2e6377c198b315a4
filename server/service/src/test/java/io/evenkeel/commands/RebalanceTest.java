package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Run;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.UnreadablePods;
import io.evenkeel.v1.WorkloadReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the command {@code rebalance}. */
final class RebalanceTest {
    private static Run rebalance(String... arguments) {
        List<String> all = new ArrayList<>(List.of("rebalance", "--cluster", "uneven.yaml"));
        all.addAll(List.of(arguments));
        return CommandFiles.run(all.toArray(String[]::new));
    }

    @Test
    void moves_areListed() throws IOException {
        CommandFiles.assertOutput("rebalance.txt", 0, rebalance("-n", "shop", "--soft"));
    }

    @Test
    void json_namesNodes() {
        Run run = rebalance("-n", "shop", "--soft", "-o", "json");
        assertEquals(0, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(json.contains("\"moves\": ["), json);
        assertTrue(json.contains("\"minMoveCount\": "), json);
        assertTrue(json.contains("\"impossibleMoveCount\": 0, "), json);
    }

    @Test
    void json_hasUnjudgedRules() {
        Run run = CommandFiles.run("rebalance", "--cluster", "claims.yaml", "-n", "shop", "-o", "json");
        assertEquals(0, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertEquals(3, json.split("\"unjudged\": \\[ \"UNJUDGED_RULE_VOLUMES\" ]", -1).length, json);
    }

    @Test
    void server_givesTheSameAsFiles() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("uneven.yaml"));
            CommandFiles.assertOutput(
                    "rebalance.txt",
                    0,
                    CommandFiles.run("rebalance", "--server", ServedFiles.address(server), "-n", "shop", "--soft"));
        }
    }

    @Test
    void rows_sayWhichMovesAreMadeTogether_andWhichAreImpossible() {
        PodMove.Builder move = PodMove.newBuilder()
                .setPod(PodReference.newBuilder().setNamespace("shop").setName("web"));
        RebalanceResponse plan = RebalanceResponse.newBuilder()
                .setExcessBefore(2)
                .addNodes("a1")
                .addMoves(move.setRejected(true).setTogetherWithNext(true))
                .addMoves(move.setRejected(false))
                .addMoves(move.setTogetherWithNext(false))
                .addMoves(move.setRejected(true))
                .addMoves(move.setRejected(false))
                .addMoves(move.setTogetherWithNext(true))
                .setImpossibleMoveCount(3)
                .build();
        List<String> rows = new RebalanceText(10, false)
                .of(plan)
                .lines()
                .filter(row -> row.startsWith("shop/web"))
                .map(row -> row.replaceAll(" {2,}", "|"))
                .toList();
        assertEquals(
                List.of(
                        "shop/web|a1|a1|only together with the next",
                        "shop/web|a1|a1|only together with the next",
                        "shop/web|a1|a1",
                        "shop/web|a1|a1|not possible, even after the others",
                        "shop/web|a1|a1|not made without one that is not possible",
                        "shop/web|a1|a1|not made without one that is not possible"),
                rows);
    }

    private static String headline(int moves, int fewest, int impossible) {
        RebalanceResponse.Builder plan = RebalanceResponse.newBuilder()
                .setExcessBefore(4)
                .setExcessAfter(1)
                .setMinMoveCount(fewest)
                .setImpossibleMoveCount(impossible)
                .addNodes("a1");
        for (int i = 0; i < moves; i++) {
            plan.addMoves(PodMove.getDefaultInstance());
        }
        String text = new RebalanceText(10, false).of(plan.build()).replaceAll("\\s+", " ");
        return text.replaceFirst(".* and by ", "").replaceFirst("[.] .*", "");
    }

    @Test
    void headline_saysWhetherFewerMovesMayBePossible() {
        assertEquals("1 after 3 moves, the fewest possible", headline(3, 3, 0));
        assertEquals("1 after 3 moves; fewer may be possible, but at least 2", headline(3, 2, 0));
        assertEquals("1 after 3 moves; fewer may be possible", headline(3, 0, 0));
        assertEquals("1 after 0 moves", headline(0, 0, 0));
    }

    @Test
    void headline_saysHowManyMovesAreNotPossible() {
        assertEquals("1 after 2 of 3 moves; the others are not possible or do not help", headline(3, 3, 1));
        assertEquals("1 after 0 of 1 move; none is possible and helps", headline(1, 1, 1));
    }

    @Test
    void unjudgedRules_areNamed_forThePlanAndForEachPod() {
        RebalanceResponse plan = RebalanceResponse.newBuilder()
                .setExcessBefore(1)
                .addNodes("a1")
                .addUnjudged(UnjudgedRule.UNJUDGED_RULE_VOLUMES)
                .addMoves(PodMove.newBuilder()
                        .setRejected(true)
                        .setTogetherWithNext(true)
                        .addUnjudged(UnjudgedRule.UNJUDGED_RULE_VOLUMES))
                .addMoves(PodMove.getDefaultInstance())
                .build();
        String text = new RebalanceText(10, false).of(plan);
        assertTrue(text.contains("\nNot judged: volumes.\n"), text);
        assertTrue(text.contains("  only together with the next; not judged: volumes\n"), text);
        assertEquals(3, text.split("judged", -1).length, text);
    }

    @Test
    void unjudgedRule_thatOnlyANewerServerKnows_isNamedAsSuch() {
        RebalanceResponse plan = RebalanceResponse.newBuilder()
                .setExcessBefore(1)
                .addNodes("a1")
                .addUnjudged(UnjudgedRule.UNJUDGED_RULE_VOLUMES)
                .addUnjudgedValue(17)
                .addMoves(PodMove.newBuilder().addUnjudgedValue(17))
                .build();
        String text = new RebalanceText(10, false).of(plan);
        assertTrue(text.contains("\nNot judged: volumes, a rule of a newer server.\n"), text);
        assertTrue(text.contains("  not judged: a rule of a newer server\n"), text);
    }

    @Test
    void podsThatCannotBeRead_areCounted() {
        RebalanceResponse plan = RebalanceResponse.newBuilder()
                .setUnreadable(UnreadablePods.newBuilder()
                        .setPodCount(2)
                        .setExample(WorkloadReference.newBuilder()
                                .setNamespace("shop")
                                .setKind("Deployment")
                                .setName("web"))
                        .setError("must be at least 1"))
                .build();
        String text = new RebalanceText(10, false).of(plan).replaceAll("\\s+", " ");
        assertTrue(
                text.startsWith("No hard constraint exceeds maxSkew. 2 pods stay because they cannot be read. "), text);
        assertTrue(text.contains("shop/Deployment/web: must be at least 1"), text);
    }

    @Test
    void whatIsNotThere_isRejected() {
        CommandFiles.rejection(
                "evenkeel rebalance: namespace shop has no workload Deployment/none",
                rebalance("-n", "shop", "Deployment/none"));
        String namespace = CommandFiles.rejection("evenkeel rebalance: ", rebalance("-n", "none"));
        assertTrue(namespace.contains("namespace none has no pods"), namespace);
        Run both = rebalance("-A", "-n", "shop");
        assertEquals(2, both.exitCode(), both::out);
    }

    @Test
    void outputOfThePage_isThatOfTheCommand() throws IOException {
        String page = Files.readString(Path.of("../docs/rebalance.md"));
        assertTrue(page.contains(Files.readString(CommandFiles.path("rebalance.txt"))));
    }
}
