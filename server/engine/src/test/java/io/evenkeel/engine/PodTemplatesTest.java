package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import io.evenkeel.engine.store.RevisionWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that each template is stored once, as long as a pod has it, and is found with its pod. */
final class PodTemplatesTest {
    private final ClusterStore store = new ClusterStore(64, 8);
    private final ClusterView view = new ClusterView(store);
    private final RevisionWriter writer = new RevisionWriter(store, () -> 0, Slices.STANDARD);

    PodTemplatesTest() {
        writer.beginBatch();
    }

    @AfterEach
    void recount() {
        new IndexValidator(store).validate();
    }

    @Test
    void podsOfOneTemplate_shareIt_untilTheLastIsGone() {
        for (int i = 0; i < 3; i++) {
            assertTrue(writer.apply(Change.ADDED, pod("web-" + i, 1, "n", "of web")));
        }
        assertTrue(writer.apply(Change.ADDED, pod("db", 1, "n", "db")));
        writer.apply(Change.DELETED, pod("web-0", 2, "", ""));
        writer.apply(Change.DELETED, pod("web-2", 2, "", ""));
        assertTemplate("of web", "web-1");
        assertTrue(isKept("of web"));
        writer.apply(Change.DELETED, pod("web-1", 2, "", ""));
        assertFalse(isKept("of web"));
        assertNull(find("web-1"));
        assertTemplate("db", "db");
    }

    @Test
    void emptyTemplate_isNotStored() {
        writer.apply(Change.ADDED, pod("a", 1, "n", ""));
        assertTemplate("", "a");
        int texts = store.strings.size();
        writer.apply(Change.MODIFIED, pod("a", 2, "n", "one"));
        assertEquals(texts + 2, store.strings.size());
        writer.apply(Change.MODIFIED, pod("a", 3, "n", ""));
        assertEquals(texts, store.strings.size());
    }

    @Test
    void changedPod_changesItsTemplate_andThatIsARevision() {
        writer.apply(Change.ADDED, pod("a", 1, "n", "one"));
        long before = store.revision();
        assertFalse(writer.apply(Change.MODIFIED, pod("a", 2, "n", "one")));
        assertEquals(before, store.revision());
        assertTrue(writer.apply(Change.MODIFIED, pod("a", 3, "n", "other")));
        assertNotEquals(before, store.revision());
        assertTemplate("other", "a");
        assertTrue(writer.apply(Change.MODIFIED, pod("a", 4, "n", "")));
        assertTemplate("", "a");
        assertFalse(isKept("one"));
        assertFalse(isKept("other"));
        assertFalse(writer.apply(Change.MODIFIED, pod("a", 3, "n", "late")));
        assertTemplate("", "a");
    }

    @Test
    void assumedPod_hasATemplate_thatGoesWithTheAssumption() {
        assertEquals(Assumption.NODE_UNKNOWN, writer.assume(pod("a", 1, "", "one"), "n", null));
        assertTemplate("one", "a");
        assertEquals("n", Objects.requireNonNull(find("a")).nodeName());
        writer.assume(pod("a", 1, "", "other"), "m", null);
        assertTemplate("other", "a");
        assertTrue(writer.forget("a"));
        assertFalse(isKept("one"));
        assertFalse(isKept("other"));
    }

    @Test
    void podThatAnEventHasShown_keepsThatTemplate_whenItIsAssumed() {
        writer.apply(Change.ADDED, pod("a", 1, "", "told"));
        writer.assume(pod("a", 1, "", "assumed"), "n", null);
        assertTemplate("told", "a");
        writer.forget("a");
        assertTemplate("told", "a");
    }

    @Test
    void snapshot_keepsTheTemplatesOfPodsThatItNames() {
        writer.apply(Change.ADDED, pod("stays", 1, "n", "one"));
        writer.apply(Change.ADDED, pod("goes", 1, "n", "other"));
        writer.beginSnapshot(Set.of(ObjectKind.POD));
        assertFalse(writer.apply(Change.LISTED, pod("stays", 1, "n", "one")));
        while (writer.isSnapshotInProgress(ObjectKind.POD)) {
            writer.sweepSnapshot(Lists.of(Set.of(ObjectKind.POD)));
        }
        assertTemplate("one", "stays");
        assertFalse(isKept("other"));
    }

    @Test
    void podThatComesBack_hasTheTemplateThatItComesWith() {
        writer.apply(Change.ADDED, pod("a", 1, "n", "one"));
        writer.apply(Change.DELETED, pod("a", 2, "", ""));
        assertTrue(writer.apply(Change.LISTED, pod("a", 1, "n", "other")));
        assertTemplate("other", "a");
    }

    @Test
    void longTemplates_areKeptAsTheyAre() {
        String text = "t".repeat(100_000);
        writer.apply(Change.ADDED, pod("a", 1, "n", text));
        writer.apply(Change.ADDED, pod("b", 1, "n", text));
        assertTemplate(text, "a");
        assertTemplate(text, "b");
        writer.apply(Change.DELETED, pod("a", 2, "", ""));
        assertTemplate(text, "b");
        writer.apply(Change.DELETED, pod("b", 2, "", ""));
        assertFalse(isKept(text));
    }

    @Test
    void templateThatIsALabelToo_isNoLabel() {
        writer.apply(Change.ADDED, pod("a", 1, "n", "web"));
        writer.apply(Change.ADDED, pod("b", 1, "n", "of-its-own"));
        assertTemplate("web", "a");
        assertTemplate("of-its-own", "b");
        assertEquals(
                Map.of("app", "web", "of-its-own", "a"),
                Objects.requireNonNull(find("a")).labels());
        writer.apply(Change.DELETED, pod("a", 2, "", ""));
        assertTemplate("of-its-own", "b");
        assertEquals(
                Map.of("app", "web", "of-its-own", "b"),
                Objects.requireNonNull(find("b")).labels());
    }

    /** What the last event of a pod contained. */
    private record Told(Map<String, String> labels, String template, String node) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void anyEvents_leaveEachPodWithWhatItsLastEventReported(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        List<String> texts = List.of("", "one", "two", "web", "app", "t".repeat(2_000), "u".repeat(2_000));
        List<PodTemplate> shared = texts.stream().map(World::template).toList();
        Map<String, Told> model = new HashMap<>();
        for (int step = 0; step < 3_000; step++) {
            String uid = "p" + dice.below(12);
            int template = dice.below(texts.size());
            Told told = new Told(
                    dice.pick(List.of(
                            Map.of(),
                            Map.of("app", "web"),
                            Map.of("app", "web", "one", "two"),
                            Map.of("app", "web", "of-its-own", uid))),
                    texts.get(template),
                    dice.pick(List.of("", "n", "m")));
            PodRecord record =
                    PodRecord.of(new PodObject(World.NAMESPACE, uid, uid, 0, told.labels, told.node, false, false));
            record.setTemplate(dice.chance(0.5) ? shared.get(template) : World.template(told.template));
            if (dice.chance(0.3)) {
                assertEquals(model.remove(uid) != null, writer.apply(Change.DELETED, record));
            } else {
                assertEquals(!told.equals(model.put(uid, told)), writer.apply(Change.ADDED, record));
            }
            assertStored(model);
            if (step % 100 == 0) {
                recount();
            }
        }
        for (String uid : List.copyOf(model.keySet())) {
            writer.apply(Change.DELETED, pod(uid, 0, "", ""));
        }
        assertFalse(isKept("one"));
    }

    private void assertStored(Map<String, Told> model) {
        for (int i = 0; i < 12; i++) {
            StoredPod found = find("p" + i);
            Told stored = found == null
                    ? null
                    : new Told(found.labels(), new String(found.template(), StandardCharsets.UTF_8), found.nodeName());
            assertEquals(model.get("p" + i), stored);
        }
    }

    @Test
    void pod_isFoundByUid_andByName_withItsLabelsAndNode() {
        writer.apply(Change.ADDED, pod("a", 1, "n", "one"));
        for (PodKey key : new PodKey[] {PodKey.ofUid("a"), PodKey.ofName(World.NAMESPACE, "a")}) {
            StoredPod found = Objects.requireNonNull(view.pod(key));
            assertEquals(PodKey.ofUid("a"), found.key());
            assertEquals(World.NAMESPACE, found.namespace());
            assertEquals("a", found.name());
            assertEquals(Map.of("app", "web", "of-its-own", "a"), found.labels());
            assertEquals("n", found.nodeName());
        }
        assertNull(view.pod(PodKey.ofName(World.NAMESPACE, "b")));
        assertNull(view.pod(PodKey.ofName("nowhere", "a")));
    }

    @Test
    void successor_isFoundByTheName_notThePodWhoseEndIsNotReportedYet() {
        writer.apply(Change.ADDED, record("old", "a", 5, "n", "one", true));
        writer.apply(Change.ADDED, record("new", "a", 3, "", "other", false));
        writer.apply(Change.ADDED, record("newest", "a", 4, "", "third", false));
        writer.apply(Change.ADDED, record("stale", "a", 2, "", "fourth", false));
        StoredPod found = Objects.requireNonNull(view.pod(PodKey.ofName(World.NAMESPACE, "a")));
        assertEquals(PodKey.ofUid("newest"), found.key());
        assertEquals("", found.nodeName());
    }

    private void assertTemplate(String expected, String uid) {
        byte[] found = Objects.requireNonNull(find(uid)).template();
        assertArrayEquals(expected.getBytes(StandardCharsets.UTF_8), found);
    }

    private boolean isKept(String template) {
        return store.strings.find(template) != StringTable.NONE;
    }

    private @Nullable StoredPod find(String uid) {
        return view.pod(PodKey.ofUid(uid));
    }

    private static PodRecord pod(String name, long version, String node, String template) {
        return record(name, name, version, node, template, false);
    }

    private static PodRecord record(
            String uid, String name, long version, String node, String template, boolean terminating) {
        PodRecord record = PodRecord.of(new PodObject(
                World.NAMESPACE,
                name,
                uid,
                version,
                Map.of("app", "web", "of-its-own", name),
                node,
                terminating,
                false));
        record.setTemplate(World.template(template));
        return record;
    }
}
