package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.script.ChangeGenerator;
import io.evenkeel.engine.script.QueryGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Seeds;
import io.evenkeel.engine.script.Universe;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.simulation.InvalidChangeException;
import io.evenkeel.engine.simulation.SimulatedCluster;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests simulated clusters with random changes and nested forks, compared with maps of all objects. */
final class SimulatedClusterTest {
    /** A cluster as maps: nodes by name, and pods by UID. */
    private record Objects(Map<String, NodeObject> nodes, Map<String, PodObject> pods) {
        static Objects of(EngineSubject subject) {
            Objects all = new Objects(new TreeMap<>(), new TreeMap<>());
            subject.nodes().forEach(node -> all.nodes.put(node.name(), unversioned(node)));
            subject.pods().forEach(pod -> all.put(pod, pod.nodeName()));
            return all;
        }

        Objects copy() {
            return new Objects(new TreeMap<>(nodes), new TreeMap<>(pods));
        }

        void put(PodRecord pod, String node) {
            PodRecord unversioned = pod.on(node);
            unversioned.resourceVersion = 0;
            pods.put(pod.uid(), unversioned.toObject());
        }

        void removeNode(String name) {
            nodes.remove(name);
            pods.values().removeIf(pod -> pod.nodeName().equals(name));
        }

        private static NodeObject unversioned(NodeObject node) {
            return new NodeObject(
                    node.name(), node.uid(), 0, node.labels(), node.taints(), node.unschedulable(), node.allocatable());
        }
    }

    /** Random changes of a simulated cluster, made to maps as well. */
    private static final class Simulation {
        private final RandomChoices dice;
        private final Universe universe;
        private final EngineSubject subject;
        private final SimulatedCluster cluster;
        private final Deque<Objects> forks = new ArrayDeque<>();
        private final List<PodRecord> removed = new ArrayList<>();
        private Objects objects;
        private int added;

        Simulation(RandomChoices dice, Universe universe, EngineSubject live) {
            this.dice = dice;
            this.universe = universe;
            subject = live.fork();
            cluster = new SimulatedCluster(subject.engine());
            objects = Objects.of(subject);
        }

        void step() {
            List<String> nodes = List.copyOf(objects.nodes.keySet());
            List<PodRecord> pods = subject.pods();
            int choice = dice.below(12);
            if (choice == 0) {
                cluster.fork();
                forks.push(objects.copy());
            } else if (choice == 1) {
                assertEquals(!forks.isEmpty(), cluster.revert());
                objects = forks.isEmpty() ? objects : forks.pop();
            } else if (choice == 2) {
                assertEquals(!forks.isEmpty(), cluster.commit());
                forks.poll();
            } else if (choice == 3) {
                NodeObject node = node("added-" + added++);
                List<PodRecord> daemons = new ArrayList<>();
                while (dice.chance(0.5)) {
                    daemons.add(PodRecord.of(newPod()).on(node.name()));
                }
                cluster.add(List.of(node), daemons);
                objects.nodes.put(node.name(), node);
                daemons.forEach(pod -> objects.put(pod, node.name()));
            } else if (choice == 4 && !nodes.isEmpty()) {
                String name = dice.pick(nodes);
                objects.pods.values().stream()
                        .filter(pod -> pod.nodeName().equals(name))
                        .forEach(pod -> removed.add(PodRecord.of(pod)));
                cluster.removeNode(name);
                objects.removeNode(name);
            } else if (choice == 5 && !nodes.isEmpty()) {
                NodeObject old = dice.pick(List.copyOf(objects.nodes.values()));
                NodeObject other = node(old.name());
                cluster.changeNode(other);
                objects.nodes.put(
                        old.name(),
                        new NodeObject(
                                old.name(),
                                old.uid(),
                                0,
                                other.labels(),
                                other.taints(),
                                other.unschedulable(),
                                other.allocatable()));
            } else if (choice == 6 && !pods.isEmpty()) {
                PodRecord pod = dice.pick(pods);
                removed.add(pod);
                cluster.remove(PodKey.ofUid(pod.uid()));
                objects.pods.remove(pod.uid());
            } else if (choice == 7 && !pods.isEmpty()) {
                PodRecord pod = dice.pick(pods);
                String node = nodes.isEmpty() || dice.chance(0.2) ? "" : dice.pick(nodes);
                cluster.move(PodKey.ofUid(pod.uid()), node);
                objects.put(pod, node);
            } else if (!nodes.isEmpty()) {
                place(pods, dice.pick(nodes));
            }
            assertEquals(objects, Objects.of(subject));
            assertEquals(forks.size(), cluster.forks());
        }

        private void place(List<PodRecord> pods, String node) {
            boolean returns = !removed.isEmpty() && dice.chance(0.3);
            PodRecord pod = returns ? dice.pick(removed) : PodRecord.of(newPod());
            PodRecord there = pods.stream()
                    .filter(each -> each.uid().equals(pod.uid()))
                    .findAny()
                    .orElse(null);
            if (there != null && !there.isUnbound()) {
                assertThrows(InvalidChangeException.class, () -> cluster.place(pod, node));
            } else {
                cluster.place(pod, node);
                objects.put(there == null ? pod : there, node);
            }
        }

        private NodeObject node(String name) {
            return new NodeObject(
                    name,
                    "uid of " + name,
                    0,
                    universe.nodeLabels(name),
                    universe.taints(),
                    dice.chance(0.15),
                    universe.allocatable());
        }

        private PodObject newPod() {
            return new PodObject(
                    dice.pick(universe.namespaces),
                    "placed-" + added++,
                    universe.freshUid(),
                    added,
                    universe.podLabels(),
                    "",
                    dice.chance(0.1),
                    dice.chance(0.1),
                    universe.requests());
        }

        void ask(ScriptedQuery query) {
            assertEquals(subject.rebuilt().ask(query), subject.ask(query));
        }
    }

    @Test
    void simulation_isWhatMapsGive_andTheLiveClusterIsNot() {
        for (int seed = Seeds.FIRST; seed < Seeds.END; seed += 2) {
            RandomChoices dice = new RandomChoices(seed);
            Universe universe = new Universe(dice);
            ChangeGenerator changes = new ChangeGenerator(dice, universe);
            QueryGenerator queries = new QueryGenerator(dice, universe);
            EngineSubject live = dice.pick(List.of(EngineLayout.values())).subject();
            for (int i = 0; i < 60; i++) {
                live.apply(changes.next());
            }
            Simulation simulation = new Simulation(dice, universe, live);
            for (int i = 0; i < 60; i++) {
                simulation.step();
                live.apply(changes.next());
                if (dice.chance(0.15)) {
                    simulation.ask(queries.next(changes.nodeNames(), changes.pods()));
                }
            }
            simulation.subject.validate();
            live.validate();
        }
    }

    @Test
    void revert_undoesWhatDependsOnWhatItUndoes() {
        EngineSubject live = EngineLayout.DEFAULT.subject();
        new World(live).node("n1", "a").pods(1, "n1");
        EngineSubject subject = live.fork();
        SimulatedCluster cluster = new SimulatedCluster(subject.engine());
        Objects before = Objects.of(subject);
        PodRecord pod = PodRecord.of(new PodObject("shop", "new", "new", 7, World.WEB, "", false, false));
        cluster.fork();
        cluster.place(pod, "n1");
        cluster.remove(PodKey.ofUid("new"));
        cluster.place(pod, "n1");
        cluster.move(PodKey.ofUid("new"), "");
        cluster.place(pod, "n1");
        cluster.removeNode("n1");
        assertTrue(cluster.revert());
        assertEquals(before, Objects.of(subject));
        assertFalse(cluster.revert());
    }

    @Test
    void invalidChanges_areRejectedAndChangeNothing() {
        EngineSubject live = EngineLayout.DEFAULT.subject();
        new World(live).node("n1", "a").pods(1, "n1");
        EngineSubject subject = live.fork();
        SimulatedCluster cluster = new SimulatedCluster(subject.engine());
        Objects before = Objects.of(subject);
        PodRecord pod = PodRecord.of(new PodObject("shop", "new", "new", 0, World.WEB, "", false, false));
        NodeObject known = subject.nodes().get(0);
        cluster.fork();
        List<Runnable> invalid = List.of(
                () -> cluster.add(List.of(known), List.of()),
                () -> cluster.removeNode("no such node"),
                () -> cluster.changeNode(new NodeObject("no such node", "u", 0, Map.of(), List.of(), false)),
                () -> cluster.place(pod, "no such node"),
                () -> cluster.place(subject.pods().get(0), "n1"),
                () -> cluster.move(PodKey.ofUid("no such pod"), "n1"),
                () -> cluster.move(PodKey.ofUid(subject.pods().get(0).uid()), "no such node"),
                () -> cluster.remove(PodKey.ofName("shop", "no such pod")));
        for (Runnable each : invalid) {
            assertThrows(InvalidChangeException.class, each::run);
            assertEquals(before, Objects.of(subject));
        }
        assertEquals(0, cluster.journalLength());
    }
}
