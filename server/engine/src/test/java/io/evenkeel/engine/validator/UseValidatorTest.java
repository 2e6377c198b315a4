package io.evenkeel.engine.validator;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Selector;
import io.evenkeel.engine.memory.Shared;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.store.ClusterChanges;
import io.evenkeel.engine.store.ClusterStore;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the validator detects each use that is one too many or too few. */
final class UseValidatorTest {
    private final ClusterStore store = new ClusterStore(64, 8);
    private final ClusterChanges changes = new ClusterChanges(store);
    private final PlanMaker compiler = new PlanMaker(store);
    private final IndexValidator validator = new IndexValidator(store);
    private List<PodPlan> plans = List.of();

    @BeforeEach
    void build() {
        for (String node : List.of("a", "b")) {
            changes.nodes.apply(
                    Change.ADDED,
                    new NodeObject(
                            node, "uid-" + node, 0, Map.of(World.ZONE, node, World.HOSTNAME, node), List.of(), false));
        }
        pod("web-1", "a");
        pod("web-2", "gone");
        changes.pods.apply(Change.DELETED, record("web-3", "a"));
        PodSelector selector = PodSelector.ofLabels(World.WEB);
        IncomingPod pod = new IncomingPod(
                World.NAMESPACE,
                World.WEB,
                Map.of("disk", "ssd"),
                null,
                List.of(),
                List.of(
                        new SpreadConstraint(1, World.ZONE, false, selector, List.of(), 0, true, true),
                        new SpreadConstraint(1, World.HOSTNAME, false, selector, List.of(), 0, true, false)),
                null);
        PodPlan plan = compiler.compile(pod, SpreadDefaults.NONE);
        compiler.build(plan);
        plans = List.of(plan);
        validator.validate(plans);
    }

    @Test
    void text() {
        store.strings.acquire("web");
        assertFound("uses of the text \"web\"");
        store.strings.release(store.strings.find("web"));
        validator.validate(plans);
        store.strings.acquire("nobody's");
        assertFound("texts");
    }

    @Test
    void template() {
        PodTemplate used = World.template("used");
        used.acquire(store.strings);
        assertFound("uses of the text \"used\"");
    }

    @Test
    void nameThatIsATextToo() {
        store.strings.acquire("web-4");
        pod("web-4", "a");
        assertFound("uses of the text \"web-4\"");
    }

    @Test
    void uidThatIsNoNumber() {
        store.strings.release(store.strings.find("web-1"));
        assertFound("");
    }

    @Test
    void host() {
        store.hosts.acquire("nobody's");
        assertFound("hosts");
    }

    @Test
    void slotOfAHost() {
        store.hosts.setSlot(store.nodes.hostOf(0), 1);
        assertFound("");
    }

    @Test
    void anchor() {
        Namespace namespace = Objects.requireNonNull(store.namespaces.find(World.NAMESPACE));
        Selector selector = store.index.selectors().get(0);
        namespace.remove(selector);
        assertFound("anchored in shop");
        namespace.add(selector);
        validator.validate(plans);
        namespace.add(selector);
        assertFound("anchors in shop");
    }

    @Test
    void topology() {
        assertFoundOnceUsed(store.index.topologies(), "topology");
    }

    @Test
    void predicate() {
        assertFoundOnceUsed(store.index.predicates(), "node predicate");
    }

    @Test
    void eligibility() {
        assertFoundOnceUsed(store.index.eligibilities(), "eligibility");
    }

    @Test
    void eligibleDomains() {
        assertFoundOnceUsed(store.index.eligibleDomains(), "eligible domains");
    }

    @Test
    void group() {
        assertFoundOnceUsed(store.index.groups(), "group");
    }

    @Test
    void jointHistogram() {
        assertFoundOnceUsed(store.index.joints(), "joint histogram");
    }

    @Test
    void selector() {
        assertFoundOnceUsed(store.index.selectors(), "selector");
    }

    @Test
    void planThatWasNotLetGo() {
        plans = List.of();
        assertFound("users of a ");
    }

    @Test
    void planThatWasLetGo() {
        compiler.release(plans.get(0));
        assertFound("");
    }

    private void assertFoundOnceUsed(Iterable<? extends Shared> parts, String what) {
        Shared part = parts.iterator().next();
        part.retain();
        assertFound("users of a " + what);
        assertTrue(!part.release());
        validator.validate(plans);
    }

    private void assertFound(String what) {
        IllegalStateException found = assertThrows(IllegalStateException.class, () -> validator.validate(plans));
        assertTrue(String.valueOf(found.getMessage()).startsWith(what), found.getMessage());
    }

    private void pod(String name, String node) {
        changes.pods.apply(Change.ADDED, record(name, node));
    }

    private static PodRecord record(String name, String node) {
        PodRecord record = PodRecord.of(new PodObject(World.NAMESPACE, name, name, 0, World.WEB, node, false, false));
        record.setTemplate(World.template("used"));
        return record;
    }
}
