package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.NodeRun;
import io.evenkeel.v1.NodeTableChange;
import io.evenkeel.v1.ScoreRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the node table changes in answers to a caller that knows an earlier table. */
final class NodeTableInAnswersTest {
    private static final int ONE_MEBIBYTE = 1 << 20;
    private static final int LONGEST_NAME = 253;

    /** This many nodes with names of the maximum length take slightly less than 1 MiB. */
    private static final int MAX_LONG_NAMES = 4_090;

    private final Instance instance = new Instance(InstanceOptions.standard());

    @BeforeEach
    void makeReady() {
        instance.clusterState().apply(Messages.apply(Messages.zones(0, 0, 0)));
    }

    @AfterEach
    void close() {
        instance.close();
    }

    /** The calls whose answers contain node indexes. Their messages have equal fields. */
    private enum Call {
        FILTER,
        SCORE,
        EVALUATE,
        STREAM
    }

    @ParameterizedTest
    @EnumSource
    void answer_bringsWhatChanged_sinceTheTokenOfTheRequest(Call call) {
        EvaluateResponse first = ask(call, "");
        assertEquals(whole(run(0, "z1", "z2", "z3")), first.getNodeTableChange());
        write(Change.DELETED, "z2");
        write(Change.ADDED, "a");
        write(Change.ADDED, "b");
        write(Change.ADDED, "c");
        write(Change.DELETED, "b");
        EvaluateResponse second = ask(call, first.getNodeTableToken());
        assertEquals(
                NodeTableChange.newBuilder()
                        .addRuns(run(1, "a"))
                        .addRuns(run(3, "", "c"))
                        .build(),
                second.getNodeTableChange());
        assertEquals(whole(run(0, "z1", "a", "z3"), run(4, "c")), ask(call, "").getNodeTableChange());
    }

    @ParameterizedTest
    @EnumSource
    void answer_bringsNothing_ifNothingMoved(Call call) {
        String token = ask(call, "").getNodeTableToken();
        instance.clusterState().apply(Messages.apply(List.of(Messages.object(Messages.pod("p", "z1")))));
        EvaluateResponse answer = ask(call, token);
        assertFalse(answer.hasNodeTableChange());
        assertEquals(token, answer.getNodeTableToken());
    }

    @ParameterizedTest
    @EnumSource
    void answer_bringsNothing_ifNotAsked(Call call) {
        EvaluateResponse answer = ask(call, request().build());
        assertFalse(answer.hasNodeTableChange());
        assertFalse(answer.getNodeTableToken().isEmpty());
    }

    @Test
    void answerWithoutPods_bringsTheTableToo() {
        EvaluateRequest request =
                EvaluateRequest.newBuilder().setKnownNodeTableToken("").build();
        assertEquals(
                whole(run(0, "z1", "z2", "z3")), ask(Call.EVALUATE, request).getNodeTableChange());
    }

    @Test
    void tokensThatAreNoneOfThisInstance_bringTheWholeTable() {
        String own = ask(Call.FILTER, "").getNodeTableToken();
        String process = own.substring(0, own.indexOf('.') + 1);
        for (String token : List.of(
                "no token",
                process,
                process + "0",
                process + "-1",
                process + "+4",
                process + "04",
                process + "5",
                process + "9223372036854775808",
                "x" + own)) {
            assertEquals(
                    whole(run(0, "z1", "z2", "z3")), ask(Call.FILTER, token).getNodeTableChange(), token);
        }
        try (Instance other = new Instance(InstanceOptions.standard())) {
            other.clusterState().apply(Messages.apply(Messages.zones(0, 0, 0)));
            String foreign = Queries.of(other.placement())
                    .prepare(FilterRequest.getDefaultInstance())
                    .answer()
                    .getNodeTableToken();
            assertTrue(ask(Call.FILTER, foreign).getNodeTableChange().getWhole());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void tables_followFromAnyOfThoseBefore(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        Map<String, Map<Integer, String>> tables = new HashMap<>();
        tables.put("", Map.of());
        for (int i = 0; i < 200; i++) {
            for (int moves = dice.below(20); moves > 0; moves--) {
                write(dice.chance(0.45) ? Change.DELETED : Change.ADDED, "node-" + dice.below(60));
            }
            String known = dice.pick(List.copyOf(tables.keySet()));
            EvaluateResponse answer = ask(dice.pick(List.of(Call.values())), known);
            Map<Integer, String> table = applied(answer.getNodeTableChange(), tables.getOrDefault(known, Map.of()));
            assertEquals(table(), table);
            tables.put(answer.getNodeTableToken(), table);
        }
    }

    private static Map<Integer, String> applied(NodeTableChange change, Map<Integer, String> known) {
        Map<Integer, String> table = change.getWhole() ? new TreeMap<>() : new TreeMap<>(known);
        for (NodeRun run : change.getRunsList()) {
            for (int i = 0; i < run.getNamesCount(); i++) {
                if (run.getNames(i).isEmpty()) {
                    table.remove(run.getFirstIndex() + i);
                } else {
                    table.put(run.getFirstIndex() + i, run.getNames(i));
                }
            }
        }
        return table;
    }

    @Test
    void tableOver1MiB_isLeftToListNodes_butNotItsChanges() {
        for (int i = 0; i < MAX_LONG_NAMES; i++) {
            write(Change.ADDED, longest(i));
        }
        EvaluateResponse below = ask(Call.FILTER, "");
        assertTrue(below.getNodeTableChange().getWhole());
        assertTrue(below.getSerializedSize() < ONE_MEBIBYTE + 1_000, below.getSerializedSize() + " bytes");
        for (int i = 0; i < 10; i++) {
            write(Change.ADDED, longest(MAX_LONG_NAMES + i));
        }
        EvaluateResponse above = ask(Call.FILTER, "");
        assertFalse(above.hasNodeTableChange());
        assertEquals(1, above.getAnswersCount());
        assertFalse(above.getNodeTableToken().isEmpty());
        assertEquals(
                10,
                ask(Call.FILTER, below.getNodeTableToken())
                        .getNodeTableChange()
                        .getRuns(0)
                        .getNamesCount());
    }

    private static String longest(int node) {
        String number = Integer.toString(node);
        return "n".repeat(LONGEST_NAME - number.length()) + number;
    }

    @Test
    void answerThatMayBringALargeTable_isNotShort() throws InvalidProtocolBufferException {
        for (int i = 0; i < 3_000; i++) {
            write(Change.ADDED, "node-" + i);
        }
        String token = ask(Call.EVALUATE, "").getNodeTableToken();
        assertFalse(isShort(request().setKnownNodeTableToken("").build()));
        assertTrue(isShort(request().setKnownNodeTableToken(token).build()));
        assertTrue(isShort(request().build()));
    }

    private boolean isShort(EvaluateRequest request) {
        return Queries.of(instance.placement()).prepare(request).isShort();
    }

    private EvaluateResponse ask(Call call, String known) {
        return ask(call, request().setKnownNodeTableToken(known).build());
    }

    private static EvaluateRequest.Builder request() {
        return EvaluateRequest.newBuilder().addPods(web(hard(ZONE)));
    }

    private EvaluateResponse ask(Call call, EvaluateRequest request) {
        try {
            PlacementHandler placement = instance.placement();
            byte[] bytes = request.toByteArray();
            return switch (call) {
                case FILTER ->
                    EvaluateResponse.parseFrom(Queries.of(placement)
                            .prepare(FilterRequest.parseFrom(bytes))
                            .answer()
                            .toByteString());
                case SCORE ->
                    EvaluateResponse.parseFrom(Queries.of(placement)
                            .prepare(ScoreRequest.parseFrom(bytes))
                            .answer()
                            .toByteString());
                case EVALUATE -> Queries.of(placement).prepare(request).answer();
                case STREAM -> stream(placement, request);
            };
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private static EvaluateResponse stream(PlacementHandler placement, EvaluateRequest request)
            throws InvalidProtocolBufferException {
        byte[] bytes =
                EvaluateStreamRequest.newBuilder().setRequest(request).build().toByteArray();
        return Queries.of(placement)
                .prepare(placement.evaluateStream().read(bytes, () -> false))
                .answer()
                .parse(EvaluateStreamResponse.parser())
                .getResponse();
    }

    private static NodeTableChange whole(NodeRun... runs) {
        return NodeTableChange.newBuilder()
                .setWhole(true)
                .addAllRuns(List.of(runs))
                .build();
    }

    private static NodeRun run(int firstIndex, String... names) {
        return NodeRun.newBuilder()
                .setFirstIndex(firstIndex)
                .addAllNames(List.of(names))
                .build();
    }

    private Map<Integer, String> table() {
        NodeNameTable names = instance.engine().nodeNames();
        Map<Integer, String> table = new TreeMap<>();
        for (int index = 0; index < names.limit(); index++) {
            String name = names.name(index);
            if (name != null) {
                table.put(index, name);
            }
        }
        return table;
    }

    private void write(Change change, String name) {
        NodeObject node = new NodeObject(name, name, 0, Map.of(ZONE, name), List.of(), false);
        instance.engine().write(writer -> writer.apply(change, node));
    }
}
