package io.evenkeel.engine.naive;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.plan.ScoredPod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The model's rules for the sum of kube-scheduler's default scores: it looks at every node and every pod on it. */
final class StockRules {
    private StockRules() {}

    /**
     * The sum for each node.
     *
     * @param nodes those that passed
     * @param onNode the pods on a node that are not finished
     * @param spread the score of PodTopologySpread; 0 if the pod has no soft constraints
     */
    static Map<String, Long> sums(
            IncomingPod pod,
            ScoredPod scored,
            Collection<NodeObject> nodes,
            Function<String, List<PodObject>> onNode,
            Map<String, Integer> spread) {
        Map<String, Long> taints = new TreeMap<>();
        Map<String, Long> affinity = new TreeMap<>();
        for (NodeObject node : nodes) {
            taints.put(node.name(), untolerated(pod, node));
            affinity.put(
                    node.name(),
                    scored.preferences().stream()
                            .filter(preference -> NodeRules.termMatches(preference.term(), node))
                            .mapToLong(ScoredPod.Preference::weight)
                            .sum());
        }
        Map<String, Long> sums = new TreeMap<>();
        for (NodeObject node : nodes) {
            String name = node.name();
            sums.put(
                    name,
                    3 * (100 - percentOfHighest(taints, name))
                            + 2 * percentOfHighest(affinity, name)
                            + 2L * spread.getOrDefault(name, 0)
                            + leastAllocated(scored.nonZero(), node, onNode.apply(name))
                            + balanced(pod.requests(), node, onNode.apply(name)));
        }
        return sums;
    }

    private static long untolerated(IncomingPod pod, NodeObject node) {
        return node.taints().stream()
                .filter(taint -> taint.effect().equals("PreferNoSchedule"))
                .filter((NodeTaint taint) -> !NodeRules.tolerates(pod, taint))
                .count();
    }

    private static long percentOfHighest(Map<String, Long> all, String node) {
        long highest = 0;
        for (long each : all.values()) {
            highest = Math.max(highest, each);
        }
        return highest == 0 ? 0 : 100 * all.getOrDefault(node, 0L) / highest;
    }

    private static long leastAllocated(PodRequests.NonZero asked, NodeObject node, List<PodObject> pods) {
        long cpu = asked.cpu();
        long memory = asked.memory();
        for (PodObject pod : pods) {
            cpu += pod.requests().nonZero().cpu();
            memory += pod.requests().nonZero().memory();
        }
        long sum = 0;
        long kinds = 0;
        if (allocatable(node, "cpu") > 0) {
            kinds++;
            sum += unused(cpu, allocatable(node, "cpu"));
        }
        if (allocatable(node, "memory") > 0) {
            kinds++;
            sum += unused(memory, allocatable(node, "memory"));
        }
        return kinds == 0 ? 0 : sum / kinds;
    }

    private static long unused(long taken, long all) {
        return taken > all ? 0 : (all - taken) * 100 / all;
    }

    private static long allocatable(NodeObject node, String resource) {
        return node.allocatable() == null ? 0 : node.allocatable().amounts().getOrDefault(resource, 0L);
    }

    private static long balanced(PodRequests asked, NodeObject node, List<PodObject> pods) {
        long cpu = asked.amount("cpu");
        long memory = asked.amount("memory");
        if (cpu == 0 && memory == 0) {
            return 0;
        }
        long cpuBefore =
                pods.stream().mapToLong(pod -> pod.requests().amount("cpu")).sum();
        long memoryBefore =
                pods.stream().mapToLong(pod -> pod.requests().amount("memory")).sum();
        long before = balance(cpuBefore, memoryBefore, node);
        long after = balance(cpuBefore + cpu, memoryBefore + memory, node);
        return 50 + (50 + after - before) / 2;
    }

    private static long balance(long cpu, long memory, NodeObject node) {
        long allCpu = allocatable(node, "cpu");
        long allMemory = allocatable(node, "memory");
        if (allCpu == 0 || allMemory == 0) {
            return 100;
        }
        double ofCpu = cpu > allCpu ? 1 : (double) cpu / (double) allCpu;
        double ofMemory = memory > allMemory ? 1 : (double) memory / (double) allMemory;
        return (long) ((1 - Math.abs((ofCpu - ofMemory) / 2)) * 100);
    }
}
