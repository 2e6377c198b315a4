package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.whatif.WhatIfCase;
import io.evenkeel.engine.whatif.WhatIfResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares the rules of {@link EntryRules#FITTING} with a recount over all pods, after random events: nodes and pods
 * that come, go and change, in an engine, plans and an answer that have served other questions.
 */
final class NodeFitPropertiesTest {
    private static final int SEEDS = 30;
    private static final int STEPS = 150;
    private static final String GPU = "example.com/gpu";
    private static final NodeTaint TAINT = new NodeTaint("dedicated", "batch", NodeTaint.NO_SCHEDULE);

    @Test
    void verdicts_equalARecount_afterRandomEvents() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Run run = new Run(seed);
            for (int step = 0; step < STEPS; step++) {
                run.change();
                run.check("seed " + seed + ", step " + step);
            }
            IndexValidator.validate(run.engine);
        }
    }

    private static final class Run {
        private final Random random;
        private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        private final Map<String, NodeObject> nodes = new TreeMap<>();
        private final Map<String, PodObject> pods = new TreeMap<>();
        private final List<PodPlan> plans = new ArrayList<>();
        private final Answer answer = new Answer();
        private long version;

        Run(int seed) {
            random = new Random(seed);
            for (int i = 0; i < 6; i++) {
                String name = i == 5 ? "n" + random.nextInt(8) : "";
                plans.add(engine.plan(
                        new IncomingPod("shop", Map.of(), Map.of(), null, List.of(), List.of(), null, requests(), name),
                        SpreadDefaults.NONE));
            }
        }

        void change() {
            String node = "n" + random.nextInt(8);
            String uid = "p" + random.nextInt(30);
            switch (random.nextInt(8)) {
                case 0 -> {
                    NodeObject removed = nodes.remove(node);
                    if (removed != null) {
                        apply(Change.DELETED, removed);
                    }
                }
                case 1, 2 -> {
                    NodeObject added = node(node);
                    apply(nodes.put(node, added) == null ? Change.ADDED : Change.MODIFIED, added);
                }
                case 3 -> {
                    PodObject removed = pods.remove(uid);
                    if (removed != null) {
                        apply(Change.DELETED, removed);
                    }
                }
                default -> {
                    PodObject added = pod(uid, random.nextInt(5) == 0 ? "" : node);
                    apply(pods.put(uid, added) == null ? Change.ADDED : Change.MODIFIED, added);
                }
            }
        }

        private void apply(Change change, NodeObject node) {
            engine.write(writer -> writer.apply(change, node));
        }

        private void apply(Change change, PodObject pod) {
            engine.write(writer -> writer.apply(change, pod));
        }

        private NodeObject node(String name) {
            Map<String, Long> amounts = new HashMap<>(
                    Map.of(PodRequests.CPU, 1_000L * random.nextInt(5), PodRequests.MEMORY, (long) random.nextInt(5)));
            if (random.nextBoolean()) {
                amounts.put(GPU, (long) random.nextInt(3));
            }
            return new NodeObject(
                    name,
                    "node " + name,
                    ++version,
                    Map.of(),
                    random.nextInt(4) == 0 ? List.of(TAINT) : List.of(),
                    random.nextInt(5) == 0,
                    random.nextInt(6) == 0 ? null : new NodeAllocatable(random.nextInt(6), amounts));
        }

        private PodObject pod(String uid, String node) {
            return new PodObject(
                    "shop",
                    uid,
                    uid,
                    ++version,
                    Map.of(),
                    node,
                    random.nextInt(4) == 0,
                    random.nextInt(6) == 0,
                    requests());
        }

        private PodRequests requests() {
            if (random.nextInt(6) == 0) {
                return PodRequests.UNKNOWN;
            }
            Map<String, Long> amounts = new HashMap<>(
                    Map.of(PodRequests.CPU, 500L * random.nextInt(4), PodRequests.MEMORY, (long) random.nextInt(3)));
            if (random.nextInt(3) == 0) {
                amounts.put(GPU, (long) random.nextInt(3));
            }
            if (random.nextInt(10) == 0) {
                amounts.put("example.com/other", 1L);
            }
            List<HostPort> ports = random.nextInt(3) == 0
                    ? List.of(new HostPort(
                            random.nextBoolean() ? "" : "10.0.0." + random.nextInt(2),
                            random.nextInt(3) == 0 ? "UDP" : "",
                            80 + random.nextInt(2)))
                    : List.of();
            return PodRequests.of(amounts, ports);
        }

        void check(String at) {
            PodPlan plan = plans.get(random.nextInt(plans.size()));
            Question question = Question.evaluate(NodeSubset.ALL, 3).under(EntryRules.FITTING);
            Map<String, Reason> ofSingleNodes = reasonsAtEachNode(plan);
            engine.evaluate(plan, question, answer);
            assertEquals(recounted(plan.pod(), pods.values()), verdicts(), at);
            assertEquals(reasons(), ofSingleNodes, at);
            checkCounts(at);

            List<PodKey> without = new ArrayList<>();
            List<Overlay.Added> added = new ArrayList<>();
            Map<String, PodObject> changed = new TreeMap<>(pods);
            for (int i = 0; i < 3; i++) {
                String uid = "p" + random.nextInt(30);
                without.add(PodKey.ofUid(uid));
                changed.remove(uid);
            }
            for (int i = 0; i < 3; i++) {
                PodObject pod = pod("p" + random.nextInt(40), "n" + random.nextInt(8));
                added.add(new Overlay.InFull(pod));
                changed.put(pod.uid(), pod);
            }
            Overlay overlay = new Overlay(without, added);
            Map<String, String> hypothetical = recounted(plan.pod(), changed.values());
            engine.evaluate(
                    List.of(plan),
                    question,
                    overlay,
                    answer,
                    (each, place) -> {
                        assertEquals(hypothetical, verdicts(), at);
                    },
                    StopSignal.NEVER);
            for (String node : nodes.keySet()) {
                WhatIfResult result = engine.whatIf(
                                List.of(new WhatIfCase(plan, node, EntryRules.FITTING, overlay)), StopSignal.NEVER)
                        .results()
                        .get(0);
                assertEquals(
                        hypothetical.get(node),
                        result.reason() == null ? null : result.code() + " " + result.message(),
                        at + " on " + node);
            }
        }

        /** The first rule that excludes each node, judged alone, before the plan's sets follow the last changes. */
        private Map<String, Reason> reasonsAtEachNode(PodPlan plan) {
            Map<String, Reason> reasons = new TreeMap<>();
            engine.judgeAndWrite((writer, evaluation) -> {
                for (String node : nodes.keySet()) {
                    Reason reason = evaluation.reasonAt(plan, evaluation.slotOf(node));
                    if (reason != null) {
                        reasons.put(node, reason);
                    }
                }
            });
            return reasons;
        }

        private Map<String, Reason> reasons() {
            Map<String, Reason> reasons = new TreeMap<>();
            for (int i = 0; i < answer.names().limit(); i++) {
                Reason reason = answer.isCandidate(i) ? answer.reason(i) : null;
                if (reason != null) {
                    reasons.put(answer.names().name(i), reason);
                }
            }
            return reasons;
        }

        /** The code and messages of each node that is excluded. */
        private Map<String, String> verdicts() {
            Map<String, String> verdicts = new TreeMap<>();
            for (int i = 0; i < answer.names().limit(); i++) {
                if (answer.isCandidate(i) && !answer.isPassed(i)) {
                    verdicts.put(answer.names().name(i), answer.code(i) + " " + answer.message(i));
                }
            }
            return verdicts;
        }

        private void checkCounts(String at) {
            Map<String, Integer> counts = new HashMap<>();
            for (int i = 0; i < answer.names().limit(); i++) {
                Reason reason = answer.isCandidate(i) ? answer.reason(i) : null;
                if (reason != null && reason.isOfResources()) {
                    for (String message : answer.message(i).split(", ", -1)) {
                        counts.merge(message, 1, Integer::sum);
                    }
                }
            }
            Map<String, Integer> counted = new HashMap<>();
            for (int kind = 0; kind < answer.shortages().size(); kind++) {
                if (answer.shortageCount(kind) > 0) {
                    counted.put(answer.shortages().get(kind), answer.shortageCount(kind));
                }
            }
            assertEquals(counts, counted, at);
            long unknownPods = pods.values().stream()
                    .filter(pod -> nodes.containsKey(pod.nodeName()) && !pod.finished())
                    .filter(pod -> !pod.requests().isKnown())
                    .count();
            assertEquals(unknownPods, answer.podsWithoutRequests(), at);
            assertEquals(
                    nodes.values().stream()
                            .filter(node -> node.allocatable() == null)
                            .count(),
                    answer.nodesWithoutAllocatable(),
                    at);
            for (int rank = 0; rank < answer.bestCount(); rank++) {
                assertTrue(answer.isPassed(answer.best(rank)), at);
            }
        }

        private Map<String, String> recounted(IncomingPod asking, Iterable<PodObject> present) {
            Map<String, String> verdicts = new TreeMap<>();
            for (NodeObject node : nodes.values()) {
                String verdict = recount(asking, node, present);
                if (verdict != null) {
                    verdicts.put(node.name(), verdict);
                }
            }
            return verdicts;
        }

        private static @Nullable String recount(IncomingPod asking, NodeObject node, Iterable<PodObject> present) {
            if (node.unschedulable()) {
                return "UNSCHEDULABLE_AND_UNRESOLVABLE node(s) were unschedulable";
            }
            if (!asking.nodeName().isEmpty() && !asking.nodeName().equals(node.name())) {
                return "UNSCHEDULABLE_AND_UNRESOLVABLE node(s) didn't match the requested node name";
            }
            if (!node.taints().isEmpty()) {
                return "UNSCHEDULABLE_AND_UNRESOLVABLE node(s) had untolerated taint(s)";
            }
            long podsThere = 0;
            Map<String, Long> used = new HashMap<>();
            for (PodObject pod : present) {
                if (pod.nodeName().equals(node.name()) && !pod.finished()) {
                    podsThere++;
                    pod.requests().amounts().forEach(each -> used.merge(each.resource(), each.amount(), Long::sum));
                    for (HostPort taken : pod.requests().hostPorts()) {
                        if (asking.requests().hostPorts().stream().anyMatch(taken::conflictsWith)) {
                            return "UNSCHEDULABLE node(s) didn't have free ports for the requested pod ports";
                        }
                    }
                }
            }
            NodeAllocatable has = Objects.requireNonNullElse(node.allocatable(), new NodeAllocatable(0, Map.of()));
            StringJoiner messages = new StringJoiner(", ");
            if (podsThere + 1 > has.pods()) {
                messages.add("Too many pods");
            }
            boolean never = false;
            for (String resource : new TreeSet<>(List.of("a cpu", "b memory", "c " + GPU, "d example.com/other"))) {
                String name = resource.substring(2);
                long asked = asking.requests().amounts().stream()
                        .filter(each -> each.resource().equals(name))
                        .mapToLong(PodRequests.Amount::amount)
                        .sum();
                if (asked > 0 && asked > has.amount(name) - used.getOrDefault(name, 0L)) {
                    messages.add("Insufficient " + name);
                    never |= asked > has.amount(name);
                }
            }
            if (messages.length() == 0) {
                return null;
            }
            return (never ? "UNSCHEDULABLE_AND_UNRESOLVABLE " : "UNSCHEDULABLE ") + messages;
        }
    }
}
