package io.evenkeel.engine.script;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.whatif.WhatIfCase;
import io.evenkeel.engine.whatif.WhatIfResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes small clusters with short calls: nodes in zones, and pods with the label {@code app: web} on them. */
public final class World {
    public static final String ZONE = "topology.kubernetes.io/zone";
    public static final String HOSTNAME = "kubernetes.io/hostname";
    public static final String NAMESPACE = "shop";
    public static final Map<String, String> WEB = Map.of("app", "web");

    private final ScriptTarget subject;
    private final Map<String, Integer> podsPerPlace = new TreeMap<>();
    private int objects;

    public World(ScriptTarget subject) {
        this.subject = subject;
    }

    /** Zones of one node each, of the same name: {@code zones(2, 1)} is z1 with two pods and z2 with one. */
    public static World zones(ScriptTarget subject, int... podsPerZone) {
        World world = new World(subject);
        for (int i = 0; i < podsPerZone.length; i++) {
            world.node("z" + (i + 1), "z" + (i + 1)).pods(podsPerZone[i], "z" + (i + 1));
        }
        return world;
    }

    public World node(String name, String zone, NodeTaint... taints) {
        return node(name, Map.of(ZONE, zone, HOSTNAME, name), taints);
    }

    /** Adds or changes a node. */
    public World node(String name, Map<String, String> labels, NodeTaint... taints) {
        objects++;
        subject.apply(new Step.NodeEvent(
                Change.MODIFIED,
                new NodeObject(name, "node " + name, objects, new TreeMap<>(labels), List.of(taints), false)));
        return this;
    }

    public World pods(int count, String node) {
        for (int i = 0; i < count; i++) {
            pod(NAMESPACE, WEB, node, false, false);
        }
        return this;
    }

    public World pod(Map<String, String> labels, String node) {
        return pod(NAMESPACE, labels, node, false, false);
    }

    public World pod(String namespace, Map<String, String> labels, String node, boolean terminating, boolean finished) {
        objects++;
        String place = node.isEmpty() ? "nowhere" : node;
        String name = place + "-" + podsPerPlace.merge(place, 1, Integer::sum);
        subject.apply(new Step.PodEvent(
                Change.ADDED, new PodObject(namespace, name, name, objects, labels, node, terminating, finished)));
        return this;
    }

    /** Deletes a pod, named after the node it was on and its number there, counting from 1: {@code z1-1}. */
    public World podGone(String name) {
        subject.apply(
                new Step.PodEvent(Change.DELETED, new PodObject(NAMESPACE, name, name, 0, Map.of(), "", false, false)));
        return this;
    }

    /** The nodes that the constraints alone allow. */
    public Set<String> fits(IncomingPod pod) {
        Set<String> names = new TreeSet<>();
        ask(pod).verdicts().forEach((node, verdict) -> {
            if (verdict.code() == VerdictCode.SUCCESS) {
                names.add(node);
            }
        });
        return names;
    }

    /** The nodes that fit and that the pod may enter. */
    public Set<String> mayGoTo(IncomingPod pod) {
        Set<String> names = fits(pod);
        names.removeAll(ask(pod).shutOut().keySet());
        return names;
    }

    public Map<String, Integer> scores(IncomingPod pod) {
        return ask(pod).scoresOfAll();
    }

    private Answers.Placement ask(IncomingPod pod) {
        return (Answers.Placement) subject.ask(new ScriptedQuery.Placement(pod, SpreadDefaults.NONE, null));
    }

    public static SpreadConstraint hard(String topologyKey) {
        return constraint(topologyKey, true, 0, true, false);
    }

    public static SpreadConstraint soft(String topologyKey) {
        return constraint(topologyKey, false, 0, true, false);
    }

    /** A constraint with maxSkew 1 over the pods with {@code app: web}. */
    public static SpreadConstraint constraint(
            String topologyKey, boolean hard, int minDomains, boolean honorAffinity, boolean honorTaints) {
        return new SpreadConstraint(
                1, topologyKey, hard, PodSelector.ofLabels(WEB), List.of(), minDomains, honorAffinity, honorTaints);
    }

    public static IncomingPod web(SpreadConstraint... constraints) {
        return new IncomingPod(NAMESPACE, WEB, Map.of(), null, List.of(), List.of(constraints), null);
    }

    /** Asks one what-if. */
    public static WhatIfResult whatIf(
            SpreadEngine engine, PodPlan plan, String node, List<PodKey> without, List<PodObject> added) {
        List<Overlay.Added> inFull = new ArrayList<>();
        added.forEach(pod -> inFull.add(new Overlay.InFull(pod)));
        return whatIf(engine, plan, node, new Overlay(without, inFull));
    }

    /** Asks one what-if about the constraints alone. */
    public static WhatIfResult whatIf(SpreadEngine engine, PodPlan plan, String node, Overlay overlay) {
        return whatIf(engine, plan, node, EntryRules.NONE, overlay);
    }

    public static WhatIfResult whatIf(
            SpreadEngine engine, PodPlan plan, String node, EntryRules rules, Overlay overlay) {
        return engine.whatIf(List.of(new WhatIfCase(plan, node, rules, overlay)), StopSignal.NEVER)
                .results()
                .get(0);
    }

    public static IncomingPod withNodeSelector(IncomingPod pod, Map<String, String> nodeSelector) {
        return new IncomingPod(
                pod.namespace(), pod.labels(), nodeSelector, null, pod.tolerations(), pod.constraints(), null);
    }

    /** The template of that text. */
    public static PodTemplate template(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return PodTemplate.of(bytes, 0, bytes.length);
    }
}
