package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.StatusCode;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.NodeRun;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the pages of ListNodes with a caller that applies them. */
final class NodePagesTest {
    private static final int MAX_NAMES = 16_000;
    private static final int FOUR_MEBIBYTES = 4 << 20;
    private static final int LONGEST_NAME = 253;

    /** More moves than an engine remembers. */
    private static final int MANY_MOVES = 4_100;

    private static final int MANY_PARTS = 1_000_000;

    private final Instance instance = new Instance(InstanceOptions.standard());
    private final Map<Integer, String> copy = new TreeMap<>();

    @AfterEach
    void close() {
        instance.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void pages_makeTheTable_whileNodesComeAndGoBetweenThem(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        for (int i = 0; i < 100; i++) {
            move(dice);
        }
        String known = "";
        for (int listing = 0; listing < 40; listing++) {
            known = list(dice, known);
            for (int i = dice.below(60); i > 0; i--) {
                move(dice);
            }
            if (dice.chance(0.1)) {
                known = "";
            }
        }
    }

    /** Lists the nodes, with changes between the pages. Returns the token of the last page. */
    private String list(RandomChoices dice, String known) {
        int most = dice.pick(List.of(1, 3, 10, 50, 1_000));
        ListNodesRequest.Builder request =
                ListNodesRequest.newBuilder().setPageSize(most).setKnownNodeTableToken(known);
        while (true) {
            ListNodesResponse page = page(request.build());
            assertTrue(names(page) <= most, "names on a page of " + most);
            apply(page);
            if (page.getNextPageToken().isEmpty()) {
                assertEquals(table(), copy);
                return page.getNodeTableToken();
            }
            assertEquals("", page.getNodeTableToken());
            request.setPageToken(page.getNextPageToken());
            if (dice.chance(0.5)) {
                // Few enough that a listing with one name per page ends.
                move(dice);
            }
        }
    }

    private void move(RandomChoices dice) {
        String name = "node-" + dice.below(150);
        write(dice.chance(0.45) ? Change.DELETED : Change.ADDED, name, "uid-" + dice.below(150));
    }

    private void apply(ListNodesResponse page) {
        if (page.getWhole()) {
            copy.clear();
        }
        int above = -1;
        for (NodeRun run : page.getRunsList()) {
            assertTrue(run.getFirstIndex() > above, "runs of a page ascend");
            for (int i = 0; i < run.getNamesCount(); i++) {
                above = run.getFirstIndex() + i;
                if (run.getNames(i).isEmpty()) {
                    copy.remove(above);
                } else {
                    copy.put(above, run.getNames(i));
                }
            }
        }
    }

    @Test
    void pageOfTheLongestNames_fitsFourMebibytes() {
        for (int i = 0; i < MAX_NAMES + 1; i++) {
            add(i, longest(i));
        }
        ListNodesResponse page = page(ListNodesRequest.getDefaultInstance());
        assertEquals(MAX_NAMES, names(page));
        assertTrue(page.getSerializedSize() <= FOUR_MEBIBYTES, page.getSerializedSize() + " bytes");
    }

    @Test
    void pageOfTheLongestNames_fitsFourMebibytes_ifNodesAreFarBetween() {
        for (int i = 0; i < 2 * MAX_NAMES; i++) {
            add(i, longest(i));
        }
        for (int i = 0; i < 2 * MAX_NAMES; i += 2) {
            write(Change.DELETED, longest(i), "uid-" + i);
        }
        ListNodesResponse page = page(ListNodesRequest.getDefaultInstance());
        assertTrue(page.getSerializedSize() <= FOUR_MEBIBYTES, page.getSerializedSize() + " bytes");
        assertFalse(page.getNextPageToken().isEmpty());
        apply(page);
        apply(page(ListNodesRequest.newBuilder()
                .setPageToken(page.getNextPageToken())
                .build()));
        assertEquals(table(), copy);
    }

    private static String longest(int node) {
        String number = Integer.toString(node);
        return "n".repeat(LONGEST_NAME - number.length()) + number;
    }

    @Test
    void pageSize_isCoerced_andANegativeOneRefused() {
        for (int i = 0; i < MAX_NAMES + 1; i++) {
            add(i, "node-" + i);
        }
        for (int given : List.of(0, MAX_NAMES, MAX_NAMES + 1, Integer.MAX_VALUE)) {
            assertEquals(
                    MAX_NAMES,
                    names(page(ListNodesRequest.newBuilder().setPageSize(given).build())));
        }
        assertRefused("pageSize", ListNodesRequest.newBuilder().setPageSize(-1));
    }

    @Test
    void foreignPageToken_isRefused() {
        try (Instance other = new Instance(InstanceOptions.standard())) {
            for (int i = 0; i < 3; i++) {
                add(i, "node-" + i);
                NodeObject node = new NodeObject("node-" + i, "uid-" + i, 0, Map.of(), List.of(), false);
                other.engine().write(writer -> writer.apply(Change.ADDED, node));
            }
            String foreign = other.clusterState()
                    .listNodes(ListNodesRequest.newBuilder().setPageSize(1).build())
                    .getNextPageToken();
            assertNotEquals("", foreign);
            for (String token : List.of(foreign, "no token", "bm90IG91cnM", known())) {
                assertRefused("pageToken", ListNodesRequest.newBuilder().setPageToken(token));
            }
        }
    }

    /** Each part of a token would become a separate string, for two bytes of the request. */
    @Test
    void pageTokenOfVeryManyParts_isRefused_withoutTakingThemApart() {
        String slashes = "Ly8v".repeat(MANY_PARTS);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertRefused("pageToken", ListNodesRequest.newBuilder().setPageToken(slashes));
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < slashes.length(), allocated + " bytes");
    }

    @Test
    void pageTokenOfAListingOfOtherChanges_isRefused() {
        add(0, "a");
        String known = known();
        add(1, "b");
        add(2, "c");
        ListNodesRequest.Builder first =
                ListNodesRequest.newBuilder().setPageSize(1).setKnownNodeTableToken(known);
        String next = page(first.build()).getNextPageToken();
        assertRefused(
                "knownNodeTableToken",
                ListNodesRequest.newBuilder().setPageSize(1).setPageToken(next));
        assertEquals("c", page(first.setPageToken(next).build()).getRuns(0).getNames(0));
    }

    @Test
    void tokenOfAnotherProcess_givesAWholeTable() {
        String token;
        try (Instance other = new Instance(InstanceOptions.standard())) {
            token = other.clusterState()
                    .listNodes(ListNodesRequest.getDefaultInstance())
                    .getNodeTableToken();
        }
        add(0, "a");
        ListNodesResponse page =
                page(ListNodesRequest.newBuilder().setKnownNodeTableToken(token).build());
        assertTrue(page.getWhole());
        assertEquals(List.of("a"), page.getRuns(0).getNamesList());
    }

    @Test
    void tokenOfTheTable_givesNothing_andOneOfAnEarlierTableTheChanges() {
        add(0, "a");
        add(1, "b");
        String earlier = known();
        write(Change.DELETED, "a", "uid-0");
        ListNodesRequest request =
                ListNodesRequest.newBuilder().setKnownNodeTableToken(earlier).build();
        NodeRun gone = NodeRun.newBuilder().addNames("").build();
        assertEquals(
                ListNodesResponse.newBuilder()
                        .addRuns(gone)
                        .setNodeTableToken(known())
                        .build(),
                page(request));
        assertEquals(
                ListNodesResponse.newBuilder().setNodeTableToken(known()).build(),
                page(ListNodesRequest.newBuilder()
                        .setKnownNodeTableToken(known())
                        .build()));
    }

    @Test
    void listing_beginsAgain_ifTooMuchMovedBetweenTwoPages() {
        add(0, "a");
        add(1, "b");
        ListNodesRequest.Builder request = ListNodesRequest.newBuilder().setPageSize(1);
        ListNodesResponse first = page(request.build());
        apply(first);
        write(Change.DELETED, "a", "uid-0");
        for (int move = 0; move < MANY_MOVES; move++) {
            write(move % 2 == 0 ? Change.ADDED : Change.DELETED, "c", "uid-c" + move / 2);
        }
        request.setPageToken(first.getNextPageToken());
        ListNodesResponse second = page(request.build());
        assertTrue(second.getWhole());
        apply(second);
        assertEquals(table(), copy);
        assertEquals(known(), second.getNodeTableToken());
    }

    private ListNodesResponse page(ListNodesRequest request) {
        return instance.clusterState().listNodes(request);
    }

    private String known() {
        return page(ListNodesRequest.getDefaultInstance()).getNodeTableToken();
    }

    private void assertRefused(String field, ListNodesRequest.Builder request) {
        RequestException refused = assertThrows(RequestException.class, () -> page(request.build()));
        assertEquals(StatusCode.INVALID_ARGUMENT, refused.code());
        assertEquals(
                List.of(field),
                refused.violations().stream().map(FieldViolation::getField).toList());
    }

    private static int names(ListNodesResponse page) {
        return page.getRunsList().stream().mapToInt(NodeRun::getNamesCount).sum();
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

    private void add(int number, String name) {
        write(Change.ADDED, name, "uid-" + number);
    }

    private void write(Change change, String name, String uid) {
        NodeObject node = new NodeObject(name, uid, 0, Map.of(), List.of(), false);
        instance.engine().write(writer -> writer.apply(change, node));
    }
}
