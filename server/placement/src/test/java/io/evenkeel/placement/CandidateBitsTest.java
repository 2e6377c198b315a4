package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.StatusCode;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.NodeBits;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.QueryOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares candidates given as bits of a node table with the same candidates given by name. */
final class CandidateBitsTest {
    private static final int NAMES = 100;

    /** More moves than an engine remembers. */
    private static final int MANY_MOVES = 4_098;

    private final Instance instance = new Instance(InstanceOptions.standard());

    @BeforeEach
    void makeReady() {
        instance.clusterState().apply(Messages.apply(Messages.zones(0, 0, 0)));
    }

    @AfterEach
    void close() {
        instance.close();
    }

    /** The same choice of nodes, as bits and by name. */
    private record Choice(Candidates bits, Candidates names) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void bits_areTheNodesOfTheirTable_whateverCameAndWentSince(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        List<Choice> choices = new ArrayList<>();
        int withUnknown = 0;
        for (int step = 0; step < 400; step++) {
            String name = "node-" + dice.below(NAMES);
            write(dice.chance(0.4) ? Change.DELETED : Change.ADDED, name, "uid-" + dice.below(NAMES));
            if (dice.chance(0.2)) {
                choices.add(choose(dice));
            }
            if (!choices.isEmpty()) {
                Choice choice = dice.pick(choices);
                FilterResponse byName = filter(choice.names);
                FilterResponse byBit = filter(choice.bits);
                assertEquals(byName.getAnswersList(), byBit.getAnswersList());
                assertEquals(
                        new TreeSet<>(byName.getUnknownCandidatesList()),
                        new TreeSet<>(byBit.getUnknownCandidatesList()));
                assertEquals(byName.getUnknownCandidatesCount(), byBit.getUnknownCandidatesCount());
                withUnknown += byBit.getUnknownCandidatesCount() > 0 ? 1 : 0;
            }
        }
        assertTrue(withUnknown > 20, withUnknown + " answers had unknown candidates");
    }

    private Choice choose(RandomChoices dice) {
        NodeNameTable table = instance.engine().nodeNames();
        BitSet bits = new BitSet();
        List<String> names = new ArrayList<>();
        double part = dice.pick(List.of(0.05, 0.5, 1.0));
        for (int index = 0; index < table.limit(); index++) {
            String name = table.name(index);
            if (name != null && dice.chance(part)) {
                bits.set(index);
                names.add(name);
            }
        }
        Candidates byName = Candidates.newBuilder()
                .setNamed(NodeNames.newBuilder().addAllNames(names))
                .build();
        return new Choice(bits(token(), bits.toByteArray()), byName);
    }

    @Test
    void bitsOfNodesThatWent_areListedByName() {
        Candidates all = bits(token(), 0b111);
        write(Change.DELETED, "z2", "z2");
        write(Change.ADDED, "new", "uid-new");
        FilterResponse answer = filter(all);
        assertEquals(List.of("z2"), answer.getUnknownCandidatesList());
        assertEquals(
                List.of("z1", "z3"),
                answer.getAnswers(0).getReadable().getVerdictsList().stream()
                        .map(NodeVerdict::getName)
                        .toList());
        ExplainResponse explained = explain(all);
        assertEquals(List.of("z2"), explained.getUnknownCandidatesList());
        assertEquals(2, explained.getCandidateCount());
    }

    @Test
    void bytesPastTheEnd_areZero() {
        assertEquals(1, filter(bits(token(), 1)).getAnswers(0).getReadable().getCandidateCount());
        assertEquals(
                1,
                filter(bits(token(), new byte[] {0b100, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
                        .getAnswers(0)
                        .getReadable()
                        .getCandidateCount());
        assertEquals(
                0,
                filter(bits(token(), new byte[0])).getAnswers(0).getReadable().getCandidateCount());
    }

    @Test
    void bitsOfAnotherProcess_areRefused() {
        try (Instance other = new Instance(InstanceOptions.standard())) {
            other.clusterState().apply(Messages.apply(Messages.zones(0, 0, 0)));
            String foreign = other.clusterState()
                    .getStatus(GetStatusRequest.getDefaultInstance())
                    .getNodeTableToken();
            for (String token : List.of(foreign, "", "no token")) {
                assertTableUnknown(bits(token, 1));
            }
        }
    }

    @Test
    void bitsOfATableThatIsLongGone_areRefused() {
        Candidates first = bits(token(), 1);
        for (int move = 0; move < MANY_MOVES; move++) {
            write(move % 2 == 0 ? Change.ADDED : Change.DELETED, "b", "uid-" + move / 2);
        }
        assertTableUnknown(first);
        assertEquals(1, filter(bits(token(), 1)).getAnswers(0).getReadable().getCandidateCount());
    }

    @Test
    void bitsOfATableToCome_areRefused() {
        String token = token();
        int revision = Integer.parseInt(token.substring(token.indexOf('.') + 1));
        assertTableUnknown(bits(token.substring(0, token.indexOf('.') + 1) + (revision + 1), 1));
    }

    private void assertTableUnknown(Candidates candidates) {
        for (RequestException refused : refusals(candidates)) {
            assertEquals(ErrorReason.ERROR_REASON_NODE_TABLE_UNKNOWN, refused.reason());
            assertEquals(StatusCode.FAILED_PRECONDITION, refused.code());
        }
    }

    @Test
    void bitOfAnIndexWithoutANode_isRefused() {
        String before = token();
        write(Change.DELETED, "z2", "z2");
        for (Candidates wrong :
                List.of(bits(token(), 0b010), bits(token(), 0b1000), bits(before, 0b1000), bits(token(), new byte[] {
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1
                }))) {
            List<RequestException> refused = refusals(wrong);
            assertEquals(
                    List.of("options.candidates.bits.bits", "candidates.bits.bits"),
                    refused.stream()
                            .flatMap(each -> each.violations().stream())
                            .map(FieldViolation::getField)
                            .toList());
        }
    }

    /** An answer about every node exceeds the limit; one about a few nodes does not. */
    @Test
    void response_isBoundedByTheNodesThatAreAskedAbout() {
        InstanceOptions small = InstanceOptions.standard()
                .withLimits(Limits.builder().responseBytes(8_000).build());
        try (Instance bounded = new Instance(small)) {
            bounded.clusterState()
                    .apply(Messages.apply(IntStream.range(0, 500)
                            .mapToObj(i -> Messages.object(Messages.node("n" + i, "z")))
                            .toList()));
            String token = bounded.clusterState()
                    .getStatus(GetStatusRequest.getDefaultInstance())
                    .getNodeTableToken();
            assertEquals(
                    8,
                    filter(bounded, bits(token, 0xff))
                            .getAnswers(0)
                            .getReadable()
                            .getCandidateCount());
            byte[] all = new byte[60];
            Arrays.fill(all, (byte) -1);
            RequestException refused = assertThrows(RequestException.class, () -> filter(bounded, bits(token, all)));
            assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, refused.reason());
        }
    }

    @Test
    void queryAfterARefusedOne_isAnswered() {
        Candidates wrong = bits(token(), 0b1000);
        refusals(wrong);
        write(Change.ADDED, "fourth", "uid-fourth");
        refusals(wrong);
        assertEquals(
                4, filter(bits(token(), 0b1111)).getAnswers(0).getReadable().getCandidateCount());
    }

    /** The errors of Filter and of Explain. */
    private List<RequestException> refusals(Candidates candidates) {
        return List.of(
                assertThrows(RequestException.class, () -> filter(candidates)),
                assertThrows(RequestException.class, () -> explain(candidates)));
    }

    private FilterResponse filter(Candidates candidates) {
        return filter(instance, candidates);
    }

    private static FilterResponse filter(Instance instance, Candidates candidates) {
        return Queries.of(instance.placement())
                .prepare(FilterRequest.newBuilder()
                        .addPods(web())
                        .setOptions(QueryOptions.newBuilder()
                                .setCandidates(candidates)
                                .setEveryNode(true))
                        .build())
                .answer();
    }

    private ExplainResponse explain(Candidates candidates) {
        return Queries.of(instance.placement())
                .prepare(ExplainRequest.newBuilder()
                        .setPod(web())
                        .setCandidates(candidates)
                        .build())
                .answer();
    }

    private String token() {
        return instance.clusterState()
                .getStatus(GetStatusRequest.getDefaultInstance())
                .getNodeTableToken();
    }

    private static Candidates bits(String token, int firstByte) {
        return bits(token, new byte[] {(byte) firstByte});
    }

    private static Candidates bits(String token, byte[] bits) {
        return Candidates.newBuilder()
                .setBits(NodeBits.newBuilder().setNodeTableToken(token).setBits(ByteString.copyFrom(bits)))
                .build();
    }

    private void write(Change change, String name, String uid) {
        NodeObject node = new NodeObject(name, uid, 0, Map.of(), List.of(), false);
        instance.engine().write(writer -> writer.apply(change, node));
    }
}
