package io.evenkeel.engine.script;

import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.TaintToleration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Simplifies an act of a failing script: returns the same act with one thing less in it. */
final class Simplification {
    private Simplification() {}

    static List<Act> of(Act act) {
        List<Act> simpler = new ArrayList<>();
        if (act instanceof Step.FromElsewhere elsewhere) {
            simpler.add(elsewhere.event());
            of(elsewhere.event()).forEach(event -> simpler.add(new Step.FromElsewhere((Step) event)));
        } else if (act instanceof Step.NodeEvent event) {
            nodes(event.node()).forEach(node -> simpler.add(new Step.NodeEvent(event.change(), node)));
        } else if (act instanceof Step.PodEvent event) {
            pods(event.pod()).forEach(pod -> simpler.add(new Step.PodEvent(event.change(), pod)));
        } else if (act instanceof Step.Assume assume) {
            pods(assume.pod()).forEach(pod -> simpler.add(new Step.Assume(pod, assume.expiresAt())));
        } else if (act instanceof ScriptedQuery.Placement query) {
            if (query.candidates() != null) {
                simpler.add(new ScriptedQuery.Placement(query.pod(), query.defaults(), null, query.overlay()));
                for (String candidate : query.candidates()) {
                    Set<String> fewer = new HashSet<>(query.candidates());
                    fewer.remove(candidate);
                    simpler.add(new ScriptedQuery.Placement(query.pod(), query.defaults(), fewer, query.overlay()));
                }
            }
            overlays(query.overlay())
                    .forEach(less -> simpler.add(
                            new ScriptedQuery.Placement(query.pod(), query.defaults(), query.candidates(), less)));
            defaults(query.defaults())
                    .forEach(less -> simpler.add(
                            new ScriptedQuery.Placement(query.pod(), less, query.candidates(), query.overlay())));
            incomingPods(query.pod())
                    .forEach(pod -> simpler.add(
                            new ScriptedQuery.Placement(pod, query.defaults(), query.candidates(), query.overlay())));
        } else if (act instanceof ScriptedQuery.WhatIf same) {
            overlays(same.overlay())
                    .forEach(less ->
                            simpler.add(new ScriptedQuery.WhatIf(same.pod(), same.defaults(), same.node(), less)));
            defaults(same.defaults())
                    .forEach(less ->
                            simpler.add(new ScriptedQuery.WhatIf(same.pod(), less, same.node(), same.overlay())));
            incomingPods(same.pod())
                    .forEach(pod ->
                            simpler.add(new ScriptedQuery.WhatIf(pod, same.defaults(), same.node(), same.overlay())));
        }
        return simpler;
    }

    private static List<NodeObject> nodes(NodeObject node) {
        List<NodeObject> simpler = new ArrayList<>();
        NodeAllocatable allocatable = node.allocatable();
        oneLess(node.labels())
                .forEach(fewer -> simpler.add(with(node, fewer, node.taints(), node.unschedulable(), allocatable)));
        oneLess(node.taints())
                .forEach(fewer -> simpler.add(with(node, node.labels(), fewer, node.unschedulable(), allocatable)));
        if (node.unschedulable()) {
            simpler.add(with(node, node.labels(), node.taints(), false, allocatable));
        }
        if (allocatable != null) {
            simpler.add(with(node, node.labels(), node.taints(), node.unschedulable(), null));
            oneLess(allocatable.amounts())
                    .forEach(fewer -> simpler.add(with(
                            node,
                            node.labels(),
                            node.taints(),
                            node.unschedulable(),
                            new NodeAllocatable(allocatable.pods(), fewer))));
        }
        return simpler;
    }

    private static NodeObject with(
            NodeObject node,
            Map<String, String> labels,
            List<NodeTaint> taints,
            boolean unschedulable,
            @Nullable NodeAllocatable allocatable) {
        return new NodeObject(
                node.name(), node.uid(), node.resourceVersion(), labels, taints, unschedulable, allocatable);
    }

    private static List<PodObject> pods(PodObject pod) {
        List<PodObject> simpler = new ArrayList<>();
        oneLess(pod.labels())
                .forEach(fewer -> simpler.add(with(pod, fewer, pod.terminating(), pod.finished(), pod.requests())));
        if (pod.terminating() || pod.finished()) {
            simpler.add(with(pod, pod.labels(), false, false, pod.requests()));
        }
        requests(pod.requests())
                .forEach(fewer -> simpler.add(with(pod, pod.labels(), pod.terminating(), pod.finished(), fewer)));
        return simpler;
    }

    private static PodObject with(
            PodObject pod, Map<String, String> labels, boolean terminating, boolean finished, PodRequests requests) {
        return new PodObject(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                pod.resourceVersion(),
                labels,
                pod.nodeName(),
                terminating,
                finished,
                requests);
    }

    private static List<PodRequests> requests(PodRequests requests) {
        List<PodRequests> simpler = new ArrayList<>();
        Map<String, Long> amounts = new TreeMap<>();
        requests.amounts().forEach(amount -> amounts.put(amount.resource(), amount.amount()));
        oneLess(amounts).forEach(fewer -> simpler.add(PodRequests.of(fewer, requests.hostPorts())));
        oneLess(requests.hostPorts()).forEach(fewer -> simpler.add(PodRequests.of(amounts, fewer)));
        if (!requests.isKnown()) {
            simpler.add(PodRequests.NOTHING);
        }
        return simpler;
    }

    private static List<Overlay> overlays(Overlay overlay) {
        List<Overlay> simpler = new ArrayList<>();
        oneLess(overlay.without()).forEach(fewer -> simpler.add(new Overlay(fewer, overlay.added())));
        oneLess(overlay.added()).forEach(fewer -> simpler.add(new Overlay(overlay.without(), fewer)));
        return simpler;
    }

    private static List<SpreadDefaults> defaults(SpreadDefaults defaults) {
        List<SpreadDefaults> simpler = new ArrayList<>();
        if (!defaults.equals(SpreadDefaults.NONE)) {
            simpler.add(SpreadDefaults.NONE);
        }
        if (defaults.ownersSelector() != null) {
            simpler.add(defaults.system() ? SpreadDefaults.SYSTEM : SpreadDefaults.list(defaults.constraints()));
        } else if (!defaults.system()) {
            oneLess(defaults.constraints()).forEach(fewer -> simpler.add(SpreadDefaults.list(fewer)));
        }
        return simpler;
    }

    private static List<IncomingPod> incomingPods(IncomingPod pod) {
        List<IncomingPod> simpler = new ArrayList<>();
        oneLess(pod.constraints()).forEach(fewer -> simpler.add(with(pod, pod.labels(), fewer)));
        for (int i = 0; i < pod.constraints().size(); i++) {
            for (SpreadConstraint less : constraints(pod.constraints().get(i))) {
                List<SpreadConstraint> changed = new ArrayList<>(pod.constraints());
                changed.set(i, less);
                simpler.add(with(pod, pod.labels(), changed));
            }
        }
        oneLess(pod.labels()).forEach(fewer -> simpler.add(with(pod, fewer, pod.constraints())));
        requests(pod.requests()).forEach(fewer -> simpler.add(with(pod, fewer, pod.nodeName())));
        simpler.add(with(pod, pod.requests(), ""));
        simpler.add(with(pod, Map.of(), null, List.of(), null));
        simpler.add(with(pod, Map.of(), pod.affinityTerms(), pod.tolerations(), pod.controller()));
        simpler.add(with(pod, pod.nodeSelector(), null, pod.tolerations(), pod.controller()));
        simpler.add(with(pod, pod.nodeSelector(), pod.affinityTerms(), List.of(), pod.controller()));
        simpler.removeIf(pod::equals);
        return simpler;
    }

    private static IncomingPod with(IncomingPod pod, Map<String, String> labels, List<SpreadConstraint> constraints) {
        return new IncomingPod(
                pod.namespace(),
                labels,
                pod.nodeSelector(),
                pod.affinityTerms(),
                pod.tolerations(),
                constraints,
                pod.controller(),
                pod.requests(),
                pod.nodeName());
    }

    private static IncomingPod with(IncomingPod pod, PodRequests requests, String nodeName) {
        return new IncomingPod(
                pod.namespace(),
                pod.labels(),
                pod.nodeSelector(),
                pod.affinityTerms(),
                pod.tolerations(),
                pod.constraints(),
                pod.controller(),
                requests,
                nodeName);
    }

    private static IncomingPod with(
            IncomingPod pod,
            Map<String, String> nodeSelector,
            @Nullable List<NodeTerm> affinityTerms,
            List<TaintToleration> tolerations,
            @Nullable ControllerRef controller) {
        return new IncomingPod(
                pod.namespace(),
                pod.labels(),
                nodeSelector,
                affinityTerms,
                tolerations,
                pod.constraints(),
                controller,
                pod.requests(),
                pod.nodeName());
    }

    private static List<SpreadConstraint> constraints(SpreadConstraint constraint) {
        List<SpreadConstraint> simpler = new ArrayList<>();
        PodSelector selector = constraint.selector();
        if (selector != null) {
            for (List<LabelRequirement> fewer : oneLess(selector.requirements())) {
                simpler.add(new SpreadConstraint(
                        constraint.maxSkew(),
                        constraint.topologyKey(),
                        constraint.hard(),
                        new PodSelector(fewer),
                        constraint.matchLabelKeys(),
                        constraint.minDomains(),
                        constraint.honorAffinity(),
                        constraint.honorTaints()));
            }
        }
        simpler.add(new SpreadConstraint(
                constraint.maxSkew(),
                constraint.topologyKey(),
                constraint.hard(),
                selector,
                List.of(),
                0,
                constraint.honorAffinity(),
                constraint.honorTaints()));
        simpler.add(new SpreadConstraint(
                constraint.maxSkew(),
                constraint.topologyKey(),
                constraint.hard(),
                selector,
                constraint.matchLabelKeys(),
                constraint.minDomains(),
                true,
                false));
        simpler.removeIf(constraint::equals);
        return simpler;
    }

    private static <T> List<List<T>> oneLess(List<T> list) {
        List<List<T>> shorter = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            List<T> rest = new ArrayList<>(list);
            rest.remove(i);
            shorter.add(rest);
        }
        return shorter;
    }

    private static <V> List<Map<String, V>> oneLess(Map<String, V> map) {
        List<Map<String, V>> smaller = new ArrayList<>();
        for (String key : map.keySet()) {
            Map<String, V> rest = new TreeMap<>(map);
            rest.remove(key);
            smaller.add(rest);
        }
        return smaller;
    }
}
